// What idle_first is to do, said as a search; for a proof that both are the same.
module idle_first_specified #(
    parameter NODES = 31,
    parameter BITS  = $clog2(NODES)
) (
    input                  clock,
    input                  start,
    input                  served,
    input      [NODES-1:0] idle,
    output reg [ BITS-1:0] node,
    output                 any
);
  reg [NODES-1:0] left;
  assign any = left != 0;

  integer i;
  always @* begin
    node = 0;
    for (i = NODES - 1; i >= 0; i = i - 1) if (left[i]) node = i;
    for (i = NODES - 1; i >= 0; i = i - 1) if (left[i] && idle[i]) node = i;
  end

  always @(posedge clock)
    if (start) left <= {NODES{1'b1}};
    else if (served && any) left[node] <= 1'b0;
endmodule
