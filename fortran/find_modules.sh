# Default INTEGERs of 8 bytes are not those of the modules.
for word in "$@"; do
  case "$word" in
  -fdefault-integer-8 | -i8 | -integer-size=64 | -finteger-4-integer-8)
    echo "@NAME@: $word makes INTEGER 8 bytes long, and MPI's is 4: declare the numbers that need it INTEGER(8) instead" >&2
    exit 2
    ;;
  esac
done
# These flags are for calls that fit no interface; with them mpif.h has none, as other libraries' has none.
for word in "$@"; do
  case "$word" in
  -fallow-argument-mismatch | -std=legacy) include="$prefix/@DATA_DIR@/baton/fortran/without_interfaces" ;;
  esac
done
# The modules for this compiler: made with Baton, or else once, from their sources, into the user's cache.
find_modules() {
  # shellcheck disable=SC2086
  version=$($compiler --version 2>/dev/null | head -n 1) || version=
  case "$version" in
  '') return ;; # the compiler itself will say what is wrong
  GNU*) which=gfortran-$($compiler -dumpversion | cut -d. -f1) ;;
  *) which=$(printf '%s' "$version" | tr -c 'A-Za-z0-9.' _) ;;
  esac
  modules="$lib/baton-fortran/$which"
  [ -f "$modules/mpi_f08_ext.mod" ] && return
  sources="$prefix/@DATA_DIR@/baton/fortran"
  cache="${XDG_CACHE_HOME:-$HOME/.cache}/baton/fortran"
  modules="$cache/$which-$(cat "$sources"/*.f90 | cksum | cut -d' ' -f1)"
  [ -f "$modules/mpi_f08.mod" ] && return
  echo "@NAME@: making the modules mpi and mpi_f08 for $version, once, in $modules" >&2
  mkdir -p "$cache"
  made=$(mktemp -d "$cache/making.XXXXXX")
  if ! (cd "$made" && for name in mpi_abi_types mpi mpi_f08 mpi_ext mpi_f08_ext; do
    # shellcheck disable=SC2086
    $compiler -w -c "$sources/$name.f90" || exit 1
  done); then
    rm -rf "$made"
    echo "@NAME@: $compiler cannot compile them: take gfortran from version 9 or flang from version 20 on (-fc=COMPILER)" >&2
    exit 1
  fi
  rm -f "$made"/*.o
  mv -T "$made" "$modules" 2>/dev/null || rm -rf "$made" # another one was quicker
}
find_modules
