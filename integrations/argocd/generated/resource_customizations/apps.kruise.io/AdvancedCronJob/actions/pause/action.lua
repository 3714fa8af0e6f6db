-- Generated from integrations/argocd/source/actions/pause.lua by `npm run generate`. Do not edit.

-- Returns a table of the object, which is created when it is absent.
local function tableAt(...)
  local value = obj
  for _, name in ipairs({ ... }) do
    if type(value[name]) ~= "table" then value[name] = {} end
    value = value[name]
  end
  return value
end

local place = { "spec" }
tableAt(unpack(place)).paused = true
return obj
