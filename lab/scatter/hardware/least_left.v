// Whom a root serves next: of the nodes that are not served yet the one with the least left to
// transfer, by classes (0: idle, else a power of two); of equals the one with the lowest number. The
// root keeps each node's class, which the node writes when it changes.
module least_left #(
    parameter NODES = 31,
    parameter CLASS = 4,
    parameter BITS  = $clog2(NODES)
) (
    input              clock,
    input              start,   // a scatter begins: nobody is served yet
    input              served,  // the root has taken the choice
    input              write,   // a node's class has changed
    input  [ BITS-1:0] writer,
    input  [CLASS-1:0] class_now,
    output [ BITS-1:0] node,
    output             any
);
  localparam LEAVES = 1 << BITS;

  reg [CLASS-1:0] class_of[0:NODES-1];
  reg [NODES-1:0] left;

  // A tree of comparators: a leaf is (served already, class); place p has the children 2p and 2p + 1.
  wire [  CLASS:0] key [1:2*LEAVES-1];
  wire [BITS-1:0] who [1:2*LEAVES-1];

  genvar i;
  generate
    for (i = 0; i < LEAVES; i = i + 1) begin : leaves
      assign who[LEAVES+i] = i;
      if (i < NODES) assign key[LEAVES+i] = {~left[i], class_of[i]};
      else assign key[LEAVES+i] = {CLASS + 1{1'b1}};
    end
    for (i = 1; i < LEAVES; i = i + 1) begin : places
      wire second = key[2*i+1] < key[2*i];
      assign key[i] = second ? key[2*i+1] : key[2*i];
      assign who[i] = second ? who[2*i+1] : who[2*i];
    end
  endgenerate

  assign node = who[1];
  assign any  = |left;

  integer n;
  always @(posedge clock) begin
    for (n = 0; n < NODES; n = n + 1) if (write && writer == n) class_of[n] <= class_now;
    if (start) left <= {NODES{1'b1}};
    else if (served) left[node] <= 1'b0;
  end
endmodule
