/** `exec`: chooses Pod and container; kubectl does the rest. */
import { milliseconds } from '@kruise/objects';
import { UsageError, UserError } from '../failure.ts';
import type { Call, Run } from '../cli/command.ts';
import { chooseContainer, firstPod } from '../exec/choose-container.ts';
import type { Untyped } from '../objects/untyped.ts';
import { podsOf, selectorText } from '../session/pods-of.ts';
import { readTarget, selectTargets } from '../session/select-objects.ts';
import type { Session } from '../session.ts';

const pollMs = milliseconds(500);

function commandOf(
  { args, dash, path }: Call,
  session: Session,
  hasFile: boolean,
): { readonly resource: readonly string[]; readonly command: readonly string[] } {
  const at = dash ?? (hasFile ? 0 : 1);
  const [resource, command] = [args.slice(0, at), args.slice(at)];
  if (resource.length === 0 && !hasFile) throw new UsageError('pod, type/name or --filename must be specified', path);
  if (command.length === 0) throw new UsageError('you must specify at least one command for the container', path);
  if (dash === undefined)
    session.warn(
      'kubectl exec [POD] [COMMAND] is DEPRECATED and will be removed in a future version. Use kubectl exec [POD] -- [COMMAND] instead.',
    );
  return { resource, command };
}

/** The Pod itself, or an active Pod of the workload, for which it waits. */
async function podOf(call: Call, session: Session, resource: readonly string[]): Promise<Untyped> {
  const [target] = await selectTargets(call, session, resource, { bareName: 'pods', selectorFlag: '' });
  if (target === undefined) throw new UserError('pod, type/name or --filename must be specified');
  const { type, object } = await readTarget(session, target);
  if (type.group === '' && type.kind === 'Pod') return object;
  const seen = type.kind === 'Service' && type.group === '' ? serviceAsWorkload(object) : object;
  if (selectorText(seen) === undefined) throw new UserError(`cannot exec into ${type.kind}: it selects no pods`);
  const deadline = session.clock.monotonic() + call.flags.number('pod-running-timeout');
  for (;;) {
    const pod = firstPod(await podsOf(session, target, seen));
    if (pod !== undefined) return pod;
    if (session.clock.monotonic() >= deadline) throw new UserError('timed out waiting for the condition');
    await session.clock.sleep(pollMs, session.signal);
  }
}

/** The selector of a Service is plain labels. */
const serviceAsWorkload = (service: Untyped): Untyped => ({
  ...service,
  spec: { selector: { matchLabels: (service['spec'] as { readonly selector?: unknown } | undefined)?.selector ?? {} } },
});

export const run: Run = async (call, session) => {
  const { flags } = call;
  const hasFile = flags.list('filename').length > 0;
  const { resource, command } = commandOf(call, session, hasFile);
  const pod = await podOf(call, session, resource);
  const { container, note } = chooseContainer(pod, { container: flags.text('container'), sidecar: flags.text('sidecar') });
  if (note !== undefined && !flags.bool('quiet')) session.warn(note);
  const terminal = [...(flags.bool('stdin') ? ['--stdin'] : []), ...(flags.bool('tty') ? ['--tty'] : [])];
  const namespace = pod.metadata.namespace ?? session.namespace();
  const { code } = await session.kubectl(['exec', pod.metadata.name, `--namespace=${namespace}`, `--container=${container}`, ...terminal], {
    after: ['--', ...command],
  });
  return code;
};
