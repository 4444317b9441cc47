#pragma once
#include <glib-object.h>

// A person as a GTK program in C writes it: a name, an age, and a signal when one of them changes.
typedef struct _PlainPerson PlainPerson;

GType plain_person_get_type(void);
PlainPerson *plain_person_new(const char *name, int age);
void plain_person_set_name(PlainPerson *person, const char *name);
void plain_person_set_age(PlainPerson *person, int age);
