"""Two hosts, their network interfaces and a queue each way, as the source describes them: how long messages take under its
five models. A message's times follow from those of the messages before it, so each is worked out in turn; nothing is drawn.

Times are in us, rates in bytes per us (MB/s). A message of the network takes `send_us` and its bytes at the raw rate of the
sender's interface, one after the other; its first byte is in the receiver's memory `latency_us` after the beginning. The
sender waits for its interface, unless sends overlap: then it goes on, one message ahead, where it has made a copy."""
import math
from collections import deque
from dataclasses import dataclass, field

RING_BYTES = 4 << 20
HEADER_BYTES = 8
PAGE_BYTES = 4096
COPIED_BYTES_MAX = 8 << 10    # model 5, table 2: up to here one copy on each side
DIRECT_BYTES_MIN = 16 << 10   # from here on none
READS, PUSHED = "the sender reads the head before each message", "the receiver sends its head after each message"


@dataclass(frozen=True)
class Costs:
    raw: float                 # bytes per us
    copy: float                # the same, of a host's copy
    send_us: float             # of an 8-byte message, to its sender
    latency_us: float
    redirect_us: float
    page_us: float             # for each page of a user's buffer that the interface uses
    library_us: float = 0      # of MPI above this, on each side and for each message
    long_copy: float = 0       # rate of copies longer than the cache; 0: the same
    cache_bytes: int = 512 << 10
    head: str = READS          # model 1's second message of its queue
    overlap: bool = False

    def copied(self, size):
        return size / (self.long_copy if self.long_copy and size > self.cache_bytes else self.copy)

    def moved(self, size, of_user):
        return size / self.raw + (math.ceil(size / PAGE_BYTES) * self.page_us if of_user else 0)


@dataclass(frozen=True)
class Protocol:
    """One of the source's models (table 1), by its number; delayed: its mend for messages that meet the ring's end."""
    number: int
    delayed: bool = False

    def lazy(self):
        return self.number > 1

    def copies_at_sender(self, size):
        return self.number <= 3 or (self.number == 5 and size < DIRECT_BYTES_MIN)

    def redirects(self, size):
        return self.number == 3 or (self.number == 5 and size > COPIED_BYTES_MAX)


@dataclass
class Host:
    time: float = 0.0
    interface: float = 0.0     # when its interface has sent what it was given
    staged: float = 0.0        # when the copy before the last may be overwritten
    posted: float = 0.0        # when its interface knows its next receive

    def send(self, took, waits):
        """When the interface begins; waits: the data are the user's, so the host goes on when they are sent."""
        began = max(self.time, self.interface)
        self.staged, self.interface = self.interface, began + took
        if waits:
            self.time = self.interface
        return began


@dataclass
class Queue:
    """The ring from one host to the other. `known`: what the sender knows to be consumed."""
    put: int = 0
    known: int = 0
    consumed: deque = field(default_factory=deque)  # (bytes since the start, when), in order
    last: float = 0.0          # when what was put last was consumed

    def left_to_end(self):
        return RING_BYTES - self.put % RING_BYTES

    def consume(self, when):
        self.consumed.append((self.put, when))
        self.last = when

    def skip(self, size):
        """Up to the end; the receiver goes there when it has consumed what is before."""
        self.put += size
        self.consume(self.last)

    def make_space(self, space, sender, costs, lazy):
        """Lazily the head is read only when the ring looks full, and waited for while it is."""
        needed = self.put + space - RING_BYTES
        if not lazy and costs.head == READS:
            self.look(sender, costs)
        if needed <= self.known:
            return
        self.look(sender, costs)
        while self.known < needed:
            sender.time = max(sender.time, self.consumed[0][1])
            self.look(sender, costs)

    def look(self, sender, costs):
        sender.send(costs.send_us, waits=True)
        while self.consumed and self.consumed[0][1] <= sender.time:
            self.known = self.consumed.popleft()[0]


def parts(queue, size, protocol):
    """How a message lies in the ring: the data of each fragment, and what is skipped before. Each fragment has a header."""
    skipped, whole, fragments = 0, size + HEADER_BYTES, []
    end = queue.left_to_end()
    if end <= HEADER_BYTES or (protocol.delayed and end < whole <= RING_BYTES):
        skipped, end = end, RING_BYTES
    while True:
        fragment = min(size, end - HEADER_BYTES)
        fragments.append(fragment)
        size, end = size - fragment, RING_BYTES
        if size <= 0:
            return skipped, fragments


def post(receiver, size, protocol, costs):
    """A receive, which is told to the interface where the model redirects."""
    receiver.time += costs.library_us + (costs.redirect_us if protocol.redirects(size) else 0)
    receiver.posted = receiver.time


def transfer(sender, receiver, queue, size, protocol, costs):
    """One message to a receive that is posted; both hosts' times go on to where they are through with it."""
    sender.time += costs.library_us
    if protocol.copies_at_sender(size):
        sender.time = max(sender.time, sender.staged) + costs.copied(size)
    skipped, fragments = parts(queue, size, protocol)
    if skipped:
        queue.skip(skipped)
    for number, fragment in enumerate(fragments):
        queue.make_space(fragment + HEADER_BYTES, sender, costs, protocol.lazy())
        queue.put += fragment + HEADER_BYTES
        redirected = protocol.redirects(size) and number == 0
        arrives, visible = put(sender, fragment, redirected, protocol.copies_at_sender(size), protocol, costs)
        in_ring = late(arrives, receiver.posted, fragment, costs) if redirected else fragment
        receiver.time = max(receiver.time, visible) + costs.copied(in_ring)
        if not protocol.lazy() and costs.head == PUSHED:
            receiver.time += costs.send_us
        queue.consume(receiver.time)


def put(sender, fragment, redirected, packed, protocol, costs):
    """The messages of the network that a fragment needs; when its data begin to arrive, and when all of it counts."""
    moved = costs.moved(fragment + (HEADER_BYTES if packed else 0), redirected or not packed)
    waits = not (costs.overlap and packed)
    arrives = sender.send(costs.send_us + moved, waits) + costs.latency_us
    visible = arrives + moved
    for _ in range((not packed) + (not protocol.lazy())):  # a header of its own; a tail
        visible = sender.send(costs.send_us, waits) + costs.latency_us
    return arrives, visible


def late(arrives, posted, fragment, costs):
    """What arrived before the interface knew the receive lies in the ring, by whole pages."""
    if posted <= arrives:
        return 0
    return min(fragment, math.ceil((posted - arrives) * costs.raw / PAGE_BYTES) * PAGE_BYTES)


def stream(protocol, size, costs, count, begin):
    """When each of some blocking sends, one after the other into blocking receives, has ended."""
    sender, receiver, queue = Host(), Host(), Queue(begin, begin)
    for _ in range(count):
        post(receiver, size, protocol, costs)
        transfer(sender, receiver, queue, size, protocol, costs)
        yield receiver.time


def back_and_forth(posted_first):
    """The same of messages that answer each other; posted_first: each host posts its receive before it sends, not after."""
    def pattern(protocol, size, costs, count, begin):
        hosts, queues = (Host(), Host()), (Queue(begin, begin), Queue(begin, begin))
        if posted_first:
            post(hosts[1], size, protocol, costs)
        for number in range(count):
            side = number % 2
            post(hosts[side if posted_first else 1 - side], size, protocol, costs)
            transfer(hosts[side], hosts[1 - side], queues[side], size, protocol, costs)
            yield hosts[1 - side].time
    return pattern


PATTERNS = {"stream": stream, "ping-pong": back_and_forth(False), "ping-pong, receives posted first": back_and_forth(True)}


def bandwidth(pattern, protocol, size, costs, count=24, begins=8):
    """MB/s one way, after the first half of the messages; the mean of several places where the ring may begin."""
    took = 0
    for place in range(begins):
        ended = list(PATTERNS[pattern](protocol, size, costs, count, RING_BYTES * (2 * place + 1) // (2 * begins)))
        took += (ended[-1] - ended[count // 2 - 1]) / (count - count // 2)
    return size * begins / took
