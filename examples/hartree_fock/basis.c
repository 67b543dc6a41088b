/* STO-3G for H to Ne: W. J. Hehre, R. F. Stewart, J. A. Pople, J. Chem. Phys. 51, 2657 (1969), and
 * W. J. Hehre, R. Ditchfield, R. F. Stewart, J. A. Pople, J. Chem. Phys. 52, 2769 (1970); digits
 * as in the Basis Set Exchange (STO-3G, version 1). All elements share the coefficients. */
#include "basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ranks.h"

static const double pi = 3.14159265358979323846;

static const double inner_s[contraction] = {0.1543289673, 0.5353281423, 0.4446345422};
static const double outer_s[contraction] = {-0.09996722919, 0.3995128261, 0.7001154689};
static const double outer_p[contraction] = {0.1559162750, 0.6076837186, 0.3919573931};

typedef struct {
  char symbol[3];
  double inner[contraction], outer[contraction]; /* exponents of 1s, and of 2s and 2p */
} Element;

static const Element elements[] = {
    {"H", {3.425250914, 0.6239137298, 0.1688554040}, {0}},
    {"He", {6.362421394, 1.158922999, 0.3136497915}, {0}},
    {"Li", {16.11957475, 2.936200663, 0.7946504870}, {0.6362897469, 0.1478600533, 0.04808867840}},
    {"Be", {30.16787069, 5.495115306, 1.487192653}, {1.314833110, 0.3055389383, 0.09937074560}},
    {"B", {48.79111318, 8.887362172, 2.405267040}, {2.236956142, 0.5198204999, 0.1690617600}},
    {"C", {71.61683735, 13.04509632, 3.530512160}, {2.941249355, 0.6834830964, 0.2222899159}},
    {"N", {99.10616896, 18.05231239, 4.885660238}, {3.780455879, 0.8784966449, 0.2857143744}},
    {"O", {130.7093214, 23.80886605, 6.443608313}, {5.033151319, 1.169596125, 0.3803889600}},
    {"F", {166.6791340, 30.36081233, 8.216820672}, {6.464803249, 1.502281245, 0.4885884864}},
    {"Ne", {207.0156070, 37.70815124, 10.20529731}, {8.246315120, 1.916266291, 0.6232292721}}};
enum { element_count = sizeof elements / sizeof *elements };

int basis_charge(const char* symbol) {
  for (int i = 0; i < element_count; ++i)
    if (!strcmp(elements[i].symbol, symbol)) return i + 1;
  return 0;
}

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
  const Element* element = &elements[atom->charge - 1];
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
