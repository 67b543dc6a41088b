/* The density of the electrons in a plane, as a picture. */
#ifndef HARTREE_FOCK_PICTURE_H
#define HARTREE_FOCK_PICTURE_H

#include "basis.h"

/* Both return 0 when the file can be, or was, written. */
int picture_try(const char* path);
int picture_write(const char* path, const Molecule* molecule, const Basis* basis,
                  const double* density);

#endif
