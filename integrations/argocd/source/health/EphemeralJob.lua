local phase = text("status", "phase")
local numbers = count(0, "status", "succeeded") .. " of " .. count(0, "status", "match") .. " Pods succeeded, " .. count(0, "status", "failed") .. " failed"
return firstOf(
  unstarted(),
  when(phase == "Succeeded", "Healthy", numbers),
  when(phase == "Failed", "Degraded", numbers),
  when(phase == "Error", "Degraded", "The job cannot run: " .. numbers),
  failure("JobError"),
  when(phase == "Paused", "Suspended", "The job is paused: " .. numbers),
  suspended("spec", "paused"),
  verdict("Progressing", numbers)
)
