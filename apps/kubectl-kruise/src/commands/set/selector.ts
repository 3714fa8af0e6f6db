/** `set selector`. */
import { joined, UserError } from '../../failure.ts';
import type { Run } from '../../cli/command.ts';
import { applyJsonPatch } from '@kruise/objects';
import type { Untyped } from '../../objects/untyped.ts';
import { dryRun, printResult } from '../../session/print-result.ts';
import { forEachTarget, selectTargets } from '../../session/select-objects.ts';
import { selectorPatch } from '../../set/bindings.ts';

export const run: Run = async (call, session) => {
  const expression = call.args.at(-1);
  if (expression === undefined) throw new UserError('one resource and a selector must be specified');
  const how = dryRun(call, session);
  const targets = await selectTargets(call, session, call.args.slice(0, -1));
  const failures = await forEachTarget(session, targets, async ({ type, namespace, name, object }) => {
    const patch = selectorPatch(object, expression, call.flags.text('resource-version'));
    const patched = (): Untyped => {
      const result = applyJsonPatch(object, patch);
      if (result.kind !== 'Patched') throw new UserError(result.why);
      return result.value as Untyped;
    };
    const options = {
      type: 'json',
      dryRun: how === 'server',
      fieldManager: call.flags.text('field-manager'),
      signal: session.signal,
    } as const;
    const written = how === 'client' ? patched() : await session.client().patch(type, { namespace, name }, patch, options);
    await printResult(call, session, { type, object: written as Untyped, operation: 'selector updated', dryRun: how });
  });
  if (failures.length > 0) throw joined(failures);
  return undefined;
};
