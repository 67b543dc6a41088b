/* A library with the name of AMD's: nothing in it is called. */
int standin_other(void);
int standin_other(void) {
  return 0;
}
