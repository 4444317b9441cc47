#pragma once
#include <gtk/gtk.h>
#include <glib-unix.h>
#include <pthread.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

// What Swift doesn't import from GTK's headers: macros with casts.
static const GType kvo_type_none = G_TYPE_NONE;
static const GType kvo_type_char = G_TYPE_CHAR;
static const GType kvo_type_uchar = G_TYPE_UCHAR;
static const GType kvo_type_boolean = G_TYPE_BOOLEAN;
static const GType kvo_type_int = G_TYPE_INT;
static const GType kvo_type_uint = G_TYPE_UINT;
static const GType kvo_type_long = G_TYPE_LONG;
static const GType kvo_type_ulong = G_TYPE_ULONG;
static const GType kvo_type_int64 = G_TYPE_INT64;
static const GType kvo_type_uint64 = G_TYPE_UINT64;
static const GType kvo_type_enum = G_TYPE_ENUM;
static const GType kvo_type_flags = G_TYPE_FLAGS;
static const GType kvo_type_float = G_TYPE_FLOAT;
static const GType kvo_type_double = G_TYPE_DOUBLE;
static const GType kvo_type_string = G_TYPE_STRING;
static const GType kvo_type_object = G_TYPE_OBJECT;
static const GType kvo_type_interface = G_TYPE_INTERFACE;

// An instance of one of the library's own classes: a mirror or a list model. `content` is a retained
// object of Swift.
typedef struct {
  GObject parent_instance;
  gpointer content;
} KvoObject;

// Whether this thread is the process's first one. A thread asks the system once.
static inline bool kvo_is_main_thread(void) {
#ifdef __linux__
  static __thread signed char answer = 0;
  if (answer == 0) answer = syscall(SYS_gettid) == getpid() ? 1 : -1;
  return answer == 1;
#else
  return pthread_main_np() != 0;
#endif
}

#ifdef __linux__
// What CoreFoundation's run loop uses to run libdispatch's main queue.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);
#endif
