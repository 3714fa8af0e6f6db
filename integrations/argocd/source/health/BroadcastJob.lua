local phase = text("status", "phase")
local desired = count(0, "status", "desired")
local succeeded = count(0, "status", "succeeded")
local failed = count(0, "status", "failed")
local numbers = succeeded .. " of " .. desired .. " Pods succeeded, " .. failed .. " failed"
local isLasting = text("spec", "completionPolicy", "type") == "Never"
return firstOf(
  unstarted(),
  when(phase == "completed", "Healthy", numbers),
  when(phase == "failed", "Degraded", numbers),
  failure("Failed"),
  when(phase == "paused", "Suspended", "The job is paused: " .. numbers),
  suspended("spec", "paused"),
  when(isLasting and succeeded + failed >= desired and failed > 0, "Degraded", numbers),
  when(isLasting and succeeded >= desired, "Healthy", numbers .. ", the job waits for new nodes"),
  verdict("Progressing", numbers)
)
