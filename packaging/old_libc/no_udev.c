/* hwloc asks udev which disks there are. Packages for other systems bring no udev along, and Baton
   looks at no disk: there is no udev to be had. */
#include <stddef.h>

#pragma GCC visibility push(hidden)

struct udev* udev_new(void) {
  return NULL;
}

struct udev* udev_unref(struct udev* udev) {
  return udev;
}

struct udev_device* udev_device_new_from_subsystem_sysname(struct udev* udev, const char* subsystem,
                                                           const char* name) {
  (void)udev, (void)subsystem, (void)name;
  return NULL;
}

struct udev_device* udev_device_unref(struct udev_device* device) {
  return device;
}

const char* udev_device_get_property_value(struct udev_device* device, const char* key) {
  (void)device, (void)key;
  return NULL;
}

#pragma GCC visibility pop
