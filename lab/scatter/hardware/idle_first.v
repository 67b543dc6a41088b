// Whom a root serves next: an idle node that is not served yet, else any that is not; of these the
// one with the lowest number. One idle line from each node, one choice a cycle.
module idle_first #(
    parameter NODES = 31,
    parameter BITS  = $clog2(NODES)
) (
    input                  clock,
    input                  start,   // a scatter begins: nobody is served yet
    input                  served,  // the root has taken the choice
    input      [NODES-1:0] idle,
    output     [ BITS-1:0] node,
    output                 any      // somebody is not served yet
);
  reg [NODES-1:0] left;

  wire [NODES-1:0] ready = left & idle;
  wire [NODES-1:0] candidates = |ready ? ready : left;
  wire [NODES-1:0] choice = candidates & (~candidates + 1'b1);  // the lowest one alone

  assign any = |left;

  genvar bit_number;
  generate
    for (bit_number = 0; bit_number < BITS; bit_number = bit_number + 1) begin : encode
      wire [NODES-1:0] has_bit;
      genvar i;
      for (i = 0; i < NODES; i = i + 1) begin : nodes
        assign has_bit[i] = choice[i] & ((i >> bit_number) & 1);
      end
      assign node[bit_number] = |has_bit;
    end
  endgenerate

  always @(posedge clock)
    if (start) left <= {NODES{1'b1}};
    else if (served) left <= left & ~choice;
endmodule
