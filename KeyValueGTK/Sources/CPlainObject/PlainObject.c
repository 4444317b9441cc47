#include "PlainObject.h"

struct _PlainPerson {
  GObject parent_instance;
  char *name;
  gint64 age;
};

typedef struct {
  GObjectClass parent_class;
} PlainPersonClass;

G_DEFINE_TYPE(PlainPerson, plain_person, G_TYPE_OBJECT)

enum { PROP_NAME = 1, PROP_AGE, COUNT };
static GParamSpec *properties[COUNT];

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
  PlainPerson *self = (PlainPerson *)object;
  if (id == PROP_NAME) g_value_set_string(value, self->name);
  if (id == PROP_AGE) g_value_set_int64(value, self->age);
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
  PlainPerson *self = (PlainPerson *)object;
  if (id == PROP_NAME) plain_person_set_name(self, g_value_get_string(value));
  if (id == PROP_AGE) plain_person_set_age(self, (int)g_value_get_int64(value));
}

static void finalize(GObject *object) {
  g_free(((PlainPerson *)object)->name);
  G_OBJECT_CLASS(plain_person_parent_class)->finalize(object);
}

static void plain_person_class_init(PlainPersonClass *class) {
  GObjectClass *object_class = G_OBJECT_CLASS(class);
  object_class->get_property = get_property;
  object_class->set_property = set_property;
  object_class->finalize = finalize;
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY;
  properties[PROP_NAME] = g_param_spec_string("name", NULL, NULL, "", flags);
  properties[PROP_AGE] = g_param_spec_int64("age", NULL, NULL, G_MININT64, G_MAXINT64, 0, flags);
  g_object_class_install_properties(object_class, COUNT, properties);
}

static void plain_person_init(PlainPerson *self) {}

PlainPerson *plain_person_new(const char *name, int age) {
  PlainPerson *self = g_object_new(plain_person_get_type(), NULL);
  self->name = g_strdup(name);
  self->age = age;
  return self;
}

void plain_person_set_name(PlainPerson *self, const char *name) {
  g_free(self->name);
  self->name = g_strdup(name);
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_NAME]);
}

void plain_person_set_age(PlainPerson *self, int age) {
  self->age = age;
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_AGE]);
}
