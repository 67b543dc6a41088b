/* Shells of atoms, normalized, and the values of their functions. */
#include "basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ranks.h"

static const double pi = 3.14159265358979323846;

/* Published coefficients are those of normalized primitives; the sum is normalized as well. */
static void normalize(Shell* shell, int momentum, const double* coefficient) {
  double* factor = shell->factor[momentum];
  double norm = 0;
  for (int i = 0; i < contraction; ++i) {
    double a = shell->exponent[i];
    factor[i] = coefficient[i] * pow(2 * a / pi, 0.75) * (momentum ? 2 * sqrt(a) : 1);
  }
  for (int i = 0; i < contraction; ++i)
    for (int j = 0; j < contraction; ++j) {
      double p = shell->exponent[i] + shell->exponent[j];
      norm += factor[i] * factor[j] * pow(pi / p, 1.5) / (momentum ? 2 * p : 1);
    }
  for (int i = 0; i < contraction; ++i) factor[i] /= sqrt(norm);
}

static Shell shell_of(const Atom* atom, int outer) {
  const Element* element = element_of(atom->charge);
  Shell shell = {.momentum = outer, .functions = outer ? 4 : 1};
  memcpy(shell.position, atom->position, sizeof shell.position);
  memcpy(shell.exponent, outer ? element->outer : element->inner, sizeof shell.exponent);
  normalize(&shell, 0, outer ? outer_s : inner_s);
  if (outer) normalize(&shell, 1, outer_p);
  int rest = atom->charge - (outer ? 2 : 0);
  shell.electrons[0] = rest < 2 ? rest : 2;
  for (int i = 1; i < shell.functions; ++i) shell.electrons[i] = rest > 2 ? (rest - 2) / 3.0 : 0;
  return shell;
}

Basis basis_of(const Molecule* molecule) {
  Basis basis = {0};
  basis.shell = ranks_memory(2 * (size_t)molecule->atoms, sizeof *basis.shell);
  for (int i = 0; i < molecule->atoms; ++i)
    for (int outer = 0; outer <= (molecule->atom[i].charge > 2); ++outer) {
      Shell* shell = &basis.shell[basis.shells++];
      *shell = shell_of(&molecule->atom[i], outer);
      shell->first = basis.functions;
      basis.functions += shell->functions;
    }
  return basis;
}

double basis_value(const Shell* shell, int function, const double* point) {
  double r[3], square = 0, value = 0;
  for (int axis = 0; axis < 3; ++axis) {
    r[axis] = point[axis] - shell->position[axis];
    square += r[axis] * r[axis];
  }
  for (int i = 0; i < contraction; ++i)
    value += shell->factor[function > 0][i] * exp(-shell->exponent[i] * square);
  return function > 0 ? value * r[function - 1] : value;
}
