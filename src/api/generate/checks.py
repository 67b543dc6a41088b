"""The inside of an implemented entry point: argument checks by semantic kind, then the body's call.

Order: library state; communicator, or the error handler given for an object that is to be made (so
that later errors reach it); root; other handles; the remaining arguments from left to right. An argument that the standard calls insignificant in
this call (not at the root, or replaced by MPI_IN_PLACE) is not looked at: its checks have a guard.
"""

HANDLE_CLASSES = {
    "MPI_Comm": "MPI_ERR_COMM",
    "MPI_Datatype": "MPI_ERR_TYPE",
    "MPI_Group": "MPI_ERR_GROUP",
    "MPI_Op": "MPI_ERR_OP",
    "MPI_Info": "MPI_ERR_INFO",
    "MPI_Errhandler": "MPI_ERR_ERRHANDLER",
    "MPI_Session": "MPI_ERR_SESSION",
    "MPI_Win": "MPI_ERR_WIN",
    "MPI_File": "MPI_ERR_FILE",
}
HANDLE_NULLS = {
    "MPI_Comm": "MPI_COMM_NULL",
    "MPI_Datatype": "MPI_DATATYPE_NULL",
    "MPI_Group": "MPI_GROUP_NULL",
    "MPI_Op": "MPI_OP_NULL",
    "MPI_Info": "MPI_INFO_NULL",
    "MPI_Errhandler": "MPI_ERRHANDLER_NULL",
    "MPI_Session": "MPI_SESSION_NULL",
    "MPI_Win": "MPI_WIN_NULL",
    "MPI_File": "MPI_FILE_NULL",
}
# Numbers that must not be negative, with a class of their own.
NUMBER_CLASSES = {
    "RMA_DISPLACEMENT_NNI": "MPI_ERR_DISP",
}
# Pointers that may be null, or whose meaning only the body knows.
FREE_KINDS = {"ARGUMENT_COUNT", "ARGUMENT_LIST", "EXTRA_STATE", "EXTRA_STATE2", "C_BUFFER2"}
# Chapters whose completions take MPI_STATUS_IGNORE.
# Chapters where MPI_DATATYPE_NULL is taken for the type of no elements.
NO_DATA_CHAPTERS = {"point_to_point"}
STATUS_IGNORABLE = {"point_to_point", "partitioned", "file"}


class Checks:
    def __init__(self, api, procedure, body, enumerator, timed_form):
        self.api = api
        self.timed_form = timed_form  # its call, or None
        self.procedure = procedure
        self.body = body
        self.enumerator = enumerator
        self.names = [p.name for p in procedure.parameters]
        self.exceptions = api.overlay["parameters"].get(procedure.base, {})
        self.comm = next((p for p in procedure.parameters if self.resolves(p, "MPI_Comm")), None)
        self.session = next((p for p in procedure.parameters if self.resolves(p, "MPI_Session")), None)
        self.win = next((p for p in procedure.parameters if self.resolves(p, "MPI_Win")), None)
        self.file = next((p for p in procedure.parameters if self.resolves(p, "MPI_File")), None)
        raises = self.comm or self.session or self.win or self.file
        self.target = f"&{raises.name}_object->errors" if raises else "nullptr"
        if self.comm and self.nullable(self.comm):
            self.target = f"({self.comm.name}_object ? {self.target} : nullptr)"
        if self.win and self.nullable(self.win):
            self.target = f"({self.win.name}_object ? {self.target} : nullptr)"
        if self.file and self.nullable(self.file):
            self.target = f"target_of_file({self.file.name}_object)"
        elif self.is_about_unopened_file():
            self.target = "&error_handling.file_target"
        self.given = None if raises or not self.makes_object() else self.parameter("errhandler")
        if self.given:
            kind, null = self.makes_object()
            self.target = f"target_of_unmade(*errhandler_object, {kind}, {null})"
        self.out = []

    # ---- small questions -------------------------------------------------------------------

    def resolves(self, p, handle_type=None):
        """Whether p is an input handle that the entry point looks up."""
        if p.is_pointer or p.direction != "in" or self.exceptions.get(p.name) == "raw":
            return False
        if p.type not in HANDLE_CLASSES or (handle_type and p.type != handle_type):
            return False
        return True

    def is_about_unopened_file(self):
        """Errors about a file that is not open, or not yet, go to the handler of MPI_FILE_NULL."""
        made = "errhandler" in self.procedure.base
        return self.procedure.chapter == "file" and not self.file and not made

    def nullable(self, p):
        if self.exceptions.get(p.name) == "nullable":
            return True
        return p.type == "MPI_Info" and self.procedure.chapter != "info"

    def number(self, p):
        return self.names.index(p.name) + 1

    def parameter(self, name):
        return next((p for p in self.procedure.parameters if p.name == name), None)

    def makes_object(self):
        """Of a communicator or session that is to be made: its kind, and its null handle."""
        made = [p.type for p in self.procedure.parameters if p.direction == "out" and p.stars == 1]
        return {
            "MPI_Comm": ("ObjectKind::comm", "MPI_COMM_NULL"),
            "MPI_Session": ("ObjectKind::session", "MPI_SESSION_NULL"),
        }.get(made[-1] if made else None)

    def is_rooted(self):
        return self.procedure.chapter == "collective" and "root" in self.names

    def reads_only_if_no_op(self):
        """An accumulate with a result, whose origin means nothing with MPI_NO_OP."""
        return self.win and "op" in self.names and "result_datatype" in self.names

    def has_root_only(self):
        return any(q.root_only for q in self.procedure.parameters)

    def in_place_buffer(self):
        return self.api.overlay["rules"]["in_place"].get(self.procedure.base)

    def guard(self, p):
        """The C++ condition under which p is significant; empty means always."""
        parts = []
        if self.is_rooted() and p.name not in ("root", "comm", "op"):
            if p.root_only:
                parts.append("at_root")
            elif p.name.startswith(("send", "recv")) and self.has_root_only():
                parts.append("contributes")
        if self.reads_only_if_no_op() and p.name.startswith("origin_"):
            parts.append("op != MPI_NO_OP")
        buffer = self.in_place_buffer()
        if buffer:
            prefix = buffer.removesuffix("buf")
            companions = {prefix + "type", prefix + "count", prefix + "counts", prefix + "types"}
            companions |= {buffer, prefix[0] + "displs"}
            if p.name in companions:
                parts.append("!in_place")
        return " && ".join(parts)

    # ---- emitting --------------------------------------------------------------------------

    def fail_if(self, condition, call, guard=""):
        if guard:
            condition = f"{guard} && ({condition})"
        self.out.append(f"if (BATON_UNLIKELY({condition}))")
        self.out.append(f"  return {call};")

    def running(self):
        """Timed jobs are told from others only where the library is not simply running."""
        if not self.timed_form:
            self.fail_if("!library_is_running() && !library_is_usable()", "not_running(here)")
            return
        self.out += [
            "if (BATON_UNLIKELY(!library_is_running())) {",
            f"  if (tool::is_to_be_timed()) return {self.timed_form};",
            "  if (!library_is_usable()) return not_running(here);",
            "}",
        ]

    def call(self, function, p, *rest):
        arguments = ", ".join(["here", str(self.number(p)), self.target, *rest])
        return f"{function}({arguments})"

    def handle(self, p):
        table = self.api.overlay["tables"][p.type]
        guard, null = self.guard(p), HANDLE_NULLS[p.type]
        found = f"{table['table']}.find({p.name})"
        target = "nullptr" if p in (self.comm, self.session, self.given, self.win) else self.target
        if p is self.file or (self.is_about_unopened_file() and target == "nullptr"):
            target = "&error_handling.file_target"
        if guard:
            found = f"{guard} ? {found} : nullptr"
        moves_data = any(q.kind == "BUFFER" for q in self.procedure.parameters)
        stands_in = p.type == "MPI_Datatype" and self.procedure.chapter in NO_DATA_CHAPTERS
        count = self.count_of(p) if stands_in else None
        const = "" if count else "const "
        self.out.append(f"{table['type']}* {const}{p.name}_object = {found};")
        condition = f"!{p.name}_object"
        if count:
            call = f"type_of_no_data({p.name}, {count.name})"
            condition += f" && !({p.name}_object = {call})"
        if self.nullable(p):
            condition += f" && {p.name} != {null}"
        arguments = f"here, {self.number(p)}, {target}, {p.name}, {HANDLE_CLASSES[p.type]}"
        self.fail_if(condition, f"bad_handle({arguments})", guard)
        if p.type == "MPI_Datatype" and moves_data and self.procedure.chapter != "memory":
            self.fail_if(
                f"!{p.name}_object->committed",
                self.call("uncommitted", p, f"{p.name}_object->name"),
                guard,
            )

    def root_of_one_group(self):
        """The root of those that take communicators of one group, and say so themselves."""
        size = f"{self.comm.name}_object->size()"
        call = self.call("bad_root", self.parameter("root"), "root", size, "false")
        self.fail_if(f"outside(root, {size})", call)

    def root(self):
        p = self.parameter("root")
        comm = f"{self.comm.name}_object"
        self.out.append(f"const bool is_inter = {comm}->is_inter();")
        self.fail_if(
            f"outside(root, {comm}->remote_size()) && "
            "!(is_inter && (root == MPI_ROOT || root == MPI_PROC_NULL))",
            self.call("bad_root", p, "root", f"{comm}->remote_size()", "is_inter"),
        )
        if self.has_root_only():
            self.out.append(
                f"const bool at_root = is_inter ? root == MPI_ROOT : root == {comm}->rank();"
            )
            self.out.append("[[maybe_unused]] const bool contributes = !is_inter || root >= 0;")

    def in_place(self):
        buffer = self.in_place_buffer()
        if not buffer:
            return
        at_root = self.has_root_only()
        condition = f"{buffer} == MPI_IN_PLACE" + (" && at_root" if at_root else "")
        self.out.append(f"[[maybe_unused]] const bool in_place = {condition};")

    def count_of(self, datatype):
        """The one count of elements of a type; None where there are several."""
        prefix = datatype.name[:-4] if datatype.name in ("sendtype", "recvtype") else ""
        count = self.parameter(prefix + "count")
        return None if not count or count.is_pointer else count

    def buffer(self, p):
        prefix = p.name[:-3] if p.name.endswith("buf") else ""
        if self.win and p.name.endswith("_addr"):
            prefix = p.name.removesuffix("addr")
        count = self.parameter(prefix + "count") or self.parameter("count")
        count = count or self.parameter("incount")
        datatype = self.parameter(prefix + "type") or self.parameter(prefix + "datatype")
        datatype = datatype or self.parameter("datatype")
        if self.win and datatype and not count:
            self.one_element(p)
            return
        if not count or not datatype or count.is_pointer or not self.resolves(datatype):
            self.alias(p, None)
            return
        no_data = f"{count.name} == 0 || {datatype.name}_object->size == 0"
        null_allowed = f"!{datatype.name}_object->predefined"
        guard = self.guard(p) + " && " if self.guard(p) else ""
        some = f"({count.name} > 0 || {p.name})"
        self.out.append(f"if (BATON_UNLIKELY({guard}is_special({p.name}) && {some})) {{")
        special = self.call("check_special_buffer", p, p.name, no_data, null_allowed)
        self.out.append(f"  if (int rc = {special}) return rc;")
        self.out.append(f"  if ({no_data}) {p.name} = nullptr;")
        self.out.append("}")
        self.alias(p, count)

    def one_element(self, p):
        """The buffer of one element of a predefined type."""
        read = self.parameter("op") is None or not p.name.startswith("origin_")
        guard = "" if read else "op != MPI_NO_OP && "
        special = self.call("check_special_buffer", p, p.name, "false", "false")
        self.out.append(f"if (BATON_UNLIKELY({guard}is_special({p.name})))")
        self.out.append(f"  if (int rc = {special}) return rc;")

    def alias(self, p, count):
        """One buffer for both sides of a collective, where MPI_IN_PLACE was meant."""
        if p.name != "recvbuf" or "sendbuf" not in self.names or self.procedure.chapter != "collective":
            return
        kind = self.procedure.base.removeprefix("MPI_").removesuffix("_init").lower()
        kind = kind.removeprefix("i") if self.procedure.base.startswith("MPI_I") else kind
        gathers = kind in ("gather", "gatherv", "allgather", "allgatherv")
        scatters = kind in ("scatter", "scatterv")
        reduces = self.parameter("op") is not None
        if count is None and not gathers and not reduces:
            return
        guards = [g for g in (self.guard(p), self.guard(self.parameter("sendbuf"))) if g]
        own = self.parameter("sendcount") or count or self.parameter("recvcount")
        some = f" && {own.name} > 0" if own else ""
        condition = " && ".join([*guards, f"sendbuf == recvbuf && !is_special(sendbuf){some}"])
        gathers = gathers and not self.procedure.base.endswith("_init")  # each start would move it
        if not reduces and not gathers and not scatters:
            self.fail_if(condition, self.call("aliased", p))
            return
        comm = f"{self.comm.name}_object"
        speaks = f"{comm}->rank() == 0{' || at_root' if 'at_root' in condition else ''}"
        taken = f"take_as_in_place(here, {self.number(p)}, {speaks})"
        self.out.append(f"if (BATON_UNLIKELY({condition})) {{")
        if scatters:
            counts = "sendcount" if self.parameter("sendcount") else "sendcounts, displs"
            place = f"own_place(sendbuf, {counts}, *sendtype_object, {comm}->rank())"
            self.out.append(f"  if ({place} != recvbuf) return {self.call('aliased', p)};")
            self.out.append(f"  recvbuf = const_cast<void*>({taken});")
            self.out.append("}")
            return
        if gathers:
            counts = "recvcount" if count else "recvcounts, displs"
            place = f"own_place(recvbuf, {counts}, *recvtype_object, {comm}->rank())"
            moved = f"move_own_block(sendbuf, sendcount, *sendtype_object, {place}, *recvtype_object)"
            self.out.append(f"  if (Error rc = {moved}) return finish(here, {self.target}, rc);")
        self.out.append(f"  sendbuf = {taken};")
        self.out.append("}")

    def count(self, p):
        minimum = 1 if p.kind.endswith("_PI") else 0
        error_class = "MPI_ERR_COUNT" if "count" in p.name else "MPI_ERR_ARG"
        error_class = NUMBER_CLASSES.get(p.kind, error_class)
        self.fail_if(
            f"{p.name} < {minimum}",
            self.call("bad_number", p, p.name, str(minimum), error_class),
            self.guard(p),
        )

    def length_of(self, p):
        length = p.length[0] if isinstance(p.length, list) else p.length
        if length in self.names and not self.parameter(length).is_pointer:
            return length
        if length == "*" and self.procedure.chapter == "collective" and self.comm:
            # The parts of a reduce_scatter are those of our own group.
            own = "Reduce_scatter" in self.procedure.base or "reduce_scatter" in self.procedure.base
            return f"{self.comm.name}_object->{'size' if own else 'remote_size'}()"
        return None

    def array(self, p):
        length = self.length_of(p)
        ignorable = p.kind == "STATUS" and self.procedure.chapter in STATUS_IGNORABLE
        if not length or ignorable:
            return
        guard = self.guard(p)
        self.fail_if(f"!{p.name} && {length} > 0", self.call("null_argument", p), guard)
        if "NNI" in p.kind and p.direction == "in":
            error_class = "MPI_ERR_COUNT" if "count" in p.name else "MPI_ERR_ARG"
            step = f"for (std::int64_t i = 0; i < {length}; ++i)"
            self.out.append(f"if ({guard}) {step}" if guard else step)
            bad = self.call("bad_element", p, f"{p.name}[i]", "i", error_class)
            self.out.append(f"  if (BATON_UNLIKELY({p.name}[i] < 0)) return {bad};")

    def target_rank(self, p):
        ranks = f"{self.win.name}_object->ranks()"
        condition = f"outside({p.name}, {ranks}) && {p.name} != MPI_PROC_NULL"
        self.fail_if(condition, self.call("bad_rank", p, p.name, ranks, "false"))

    def rank(self, p):
        comm = f"{self.comm.name}_object"
        any_source = p.name in ("source", "recvsource") and self.procedure.chapter != "partitioned"
        condition = f"outside({p.name}, {comm}->remote_size()) && {p.name} != MPI_PROC_NULL"
        if any_source:
            condition += f" && {p.name} != MPI_ANY_SOURCE"
        extra = (p.name, f"{comm}->remote_size()", "true" if any_source else "false")
        self.fail_if(condition, self.call("bad_rank", p, *extra))

    def tag(self, p):
        receives = p.name == "recvtag" or (p.name == "tag" and "source" in self.names)
        receives = receives and self.procedure.chapter != "partitioned"  # nothing there takes wildcards
        condition = f"is_no_tag({p.name})" + (f" && {p.name} != MPI_ANY_TAG" if receives else "")
        self.fail_if(condition, self.call("bad_tag", p, p.name, "true" if receives else "false"))

    def pointer(self, p):
        if p.kind in FREE_KINDS or p.kind in ("BUFFER", "C_BUFFER") and p.direction == "in":
            return
        if p.kind == "STATUS" and self.procedure.chapter in STATUS_IGNORABLE:
            return
        if p.kind.startswith("ATTRIBUTE_VAL") and p.direction != "out":
            return
        if "FUNCTION" in p.kind and "keyval" in self.procedure.base.lower():
            return
        self.fail_if(f"!{p.name}", self.call("null_argument", p), self.guard(p))

    def argument(self, p):
        """Checks of one argument that is no looked-up handle."""
        if self.exceptions.get(p.name) in ("raw", "unchecked"):
            return
        if p.kind == "BUFFER":
            self.buffer(p)
        elif p.is_array:
            self.array(p)
        elif p.stars:
            self.pointer(p)
        elif p.kind == "RANK_NNI" and self.win:
            self.target_rank(p)
        elif p.direction == "in" and (
            "NNI" in p.kind
            or ("NUM_ELEM" in p.kind and "count" in p.name)
            or p.kind.startswith("ARRAY_LENGTH")
            or p.kind.endswith("NUM_BYTES")
            or p.name == "partitions"
        ):
            self.count(p)
        elif p.kind == "RANK" and self.comm and p.name in ("dest", "source"):
            self.rank(p)
        elif p.kind == "TAG" and self.comm and p.name.endswith("tag"):
            self.tag(p)

    # ---- the call --------------------------------------------------------------------------

    def narrows(self, p):
        """An int result of a body that counts in 64 bits."""
        return (
            p.widens and p.type == "int" and p.stars == 1 and not p.is_array and p.direction != "in"
        )

    def passed(self, p):
        if self.resolves(p):
            by_pointer = self.nullable(p) or self.guard(p)
            return f"{p.name}_object" if by_pointer else f"*{p.name}_object"
        return f"&wide_{p.name}" if self.narrows(p) else p.name

    def form(self):
        """Of a collective: what runs the call that its body describes."""
        name = self.procedure.base.removeprefix("MPI_")
        if self.procedure.chapter not in ("collective", "neighborhood"):
            return None
        if name.endswith("_init"):
            return "prepare"
        return "start" if name.startswith("I") else "run_now"

    def finish(self):
        left_out = ("info", "request") if self.form() else ()
        parameters = [
            p for p in self.procedure.parameters if p.type != "..." and p.name not in left_out
        ]
        results = [p for p in parameters if self.narrows(p)]
        passed = [self.passed(p) for p in parameters]
        if self.api.facts(self.procedure).get("tells_form"):
            form = "counts" if self.procedure.large else "ints"
            passed.append(f"datatype::CountForm::{form}")
        arguments = ", ".join(passed)
        call = f"api::{self.body}({arguments})"
        if form := self.form():
            made = f"[&] {{ return {call}; }}"
            call = f"collective::{form}({made}{', request' if form != 'run_now' else ''})"
        if self.given:  # its target is this thread's last one: asked for after the body
            self.out.append(f"const Error rc = {call};")
            self.out.append(f"return finish(here, {self.target}, rc);")
            return
        if not results:
            self.out.append(f"return finish(here, {self.target}, {call});")
            return
        for p in results:
            start = f"*{p.name}" if p.direction == "inout" else "0"
            self.out.append(f"std::int64_t wide_{p.name} = {start};")
        self.out.append(f"const Error rc = {call};")
        stores = [f"*{p.name} = narrow(wide_{p.name});" for p in results]
        inside = stores[0] if len(stores) == 1 else "{ " + " ".join(stores) + " }"
        self.out.append(f"if (BATON_LIKELY(rc == MPI_SUCCESS)) {inside}")
        self.out.append(f"return finish(here, {self.target}, rc);")

    def lines(self):
        self.out = [f"constexpr Procedure here = Procedure::{self.enumerator};"]
        for p in self.procedure.parameters:  # what is not made is no communicator
            made = p.type in ("MPI_Comm", "MPI_Win", "MPI_File") and p.direction == "out"
            if made and p.stars == 1 and not p.is_array:
                self.out.append(f"if (BATON_LIKELY({p.name} != nullptr)) *{p.name} = {HANDLE_NULLS[p.type]};")
        if self.procedure.base not in self.api.overlay["any_time"]:
            self.running()
        handles = [p for p in self.procedure.parameters if self.resolves(p)]
        handles.sort(key=lambda p: p not in (self.comm, self.session, self.given, self.win, self.file))
        if self.comm:
            self.handle(handles.pop(0))
        if self.is_rooted() and self.comm:
            self.root()
        elif "root" in self.names:
            self.root_of_one_group()
        self.in_place()
        for p in handles:
            self.handle(p)
        for p in self.procedure.parameters:
            if not self.resolves(p):
                self.argument(p)
        self.finish()
        return self.out
