/* STO-3G for H to Ne: W. J. Hehre, R. F. Stewart, J. A. Pople, J. Chem. Phys. 51, 2657 (1969), and
 * W. J. Hehre, R. Ditchfield, R. F. Stewart, J. A. Pople, J. Chem. Phys. 52, 2769 (1970); digits
 * as in the Basis Set Exchange (STO-3G, version 1). */
#include "elements.h"

#include <string.h>

const double inner_s[contraction] = {0.1543289673, 0.5353281423, 0.4446345422};
const double outer_s[contraction] = {-0.09996722919, 0.3995128261, 0.7001154689};
const double outer_p[contraction] = {0.1559162750, 0.6076837186, 0.3919573931};

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

int charge_of(const char* symbol) {
  for (int i = 0; i < element_count; ++i)
    if (!strcmp(elements[i].symbol, symbol)) return i + 1;
  return 0;
}

const Element* element_of(int charge) {
  return &elements[charge - 1];
}
