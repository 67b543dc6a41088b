// What least_left is to do, said as a search; for a proof that both are the same.
module least_left_specified #(
    parameter NODES = 31,
    parameter CLASS = 4,
    parameter BITS  = $clog2(NODES)
) (
    input                  clock,
    input                  start,
    input                  served,
    input                  write,
    input      [ BITS-1:0] writer,
    input      [CLASS-1:0] class_now,
    output reg [ BITS-1:0] node,
    output                 any
);
  reg [CLASS-1:0] class_of[0:NODES-1];
  reg [NODES-1:0] left;
  assign any = left != 0;

  integer i;
  reg [CLASS:0] least;
  always @* begin
    node = 0;
    least = {1'b1, class_of[0]};
    if (left[0]) least = {1'b0, class_of[0]};
    for (i = 1; i < NODES; i = i + 1)
      if ({~left[i], class_of[i]} < least) begin
        least = {~left[i], class_of[i]};
        node = i;
      end
  end

  integer n;
  always @(posedge clock) begin
    for (n = 0; n < NODES; n = n + 1) if (write && writer == n) class_of[n] <= class_now;
    if (start) left <= {NODES{1'b1}};
    else if (served) left[node] <= 1'b0;
  end
endmodule
