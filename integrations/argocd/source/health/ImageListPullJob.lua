local desired = count(0, "status", "desired")
local succeeded = count(0, "status", "succeeded")
local completed = count(0, "status", "completed")
local failures = list("status", "failedImageStatuses")
local isOver = text("status", "completionTime") ~= ""
local isLasting = text("spec", "completionPolicy", "type") == "Never"
local numbers = succeeded .. " of " .. desired .. " images are pulled"
local isDone = isOver or (isLasting and completed >= desired)
local first = failures[1] or {}
return firstOf(
  unstarted(),
  when(isDone and failures[1] ~= nil, "Degraded", numbers .. ". " .. (first.name or "") .. ": " .. (first.message or "")),
  when(isDone, "Healthy", numbers),
  verdict("Progressing", numbers)
)
