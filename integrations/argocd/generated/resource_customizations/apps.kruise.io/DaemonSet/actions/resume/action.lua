-- Generated from integrations/argocd/source/actions/resume.lua by `npm run generate`. Do not edit.

-- Returns a table of the object, which is created when it is absent.
local function tableAt(...)
  local value = obj
  for _, name in ipairs({ ... }) do
    if type(value[name]) ~= "table" then value[name] = {} end
    value = value[name]
  end
  return value
end

local place = { "spec", "updateStrategy", "rollingUpdate" }
tableAt(unpack(place)).paused = false
return obj
