local desired = count(0, "status", "desired")
local succeeded = count(0, "status", "succeeded")
local failed = count(0, "status", "failed")
local isOver = text("status", "completionTime") ~= ""
local isLasting = text("spec", "completionPolicy", "type") == "Never"
local numbers = "The image is on " .. succeeded .. " of " .. desired .. " nodes, " .. failed .. " failed"
local isDone = isOver or (isLasting and succeeded + failed >= desired)
return firstOf(
  unstarted(),
  when(isDone and failed > 0, "Degraded", numbers .. ". " .. text("status", "message")),
  when(isDone, "Healthy", numbers),
  verdict("Progressing", numbers)
)
