/** `create job`, `create broadcastJob`, `create ContainerRecreateRequest`. */
import { isFailure } from '@kruise/kube';
import { apiVersionOf, pods } from '@kruise/objects';
import { UsageError, UserError } from '../../failure.ts';
import type { Call, Run } from '../../cli/command.ts';
import { checkJobSource, jobFromCron, jobOfImage, recreateRequest, type JobKind, type Place } from '../../create/plan-objects.ts';
import type { ServedType } from '../../objects/served-types.ts';
import { withLastApplied, type Untyped } from '../../objects/untyped.ts';
import { dryRun, printResult } from '../../session/print-result.ts';
import { readTarget, selectTargets, servedType } from '../../session/select-objects.ts';
import type { Session } from '../../session.ts';

/** The name and what follows it, as `NAME [-- COMMAND]`. */
function nameAndCommand({ args, path }: Call): { readonly name: string; readonly command: readonly string[] } {
  const [name, ...command] = args;
  if (name === undefined) throw new UsageError('exactly one NAME is required, got 0', path);
  return { name, command };
}

async function createObject(call: Call, session: Session, type: ServedType, planned: Untyped): Promise<undefined> {
  const how = dryRun(call, session);
  const object = call.flags.bool('save-config') ? withLastApplied(planned) : planned;
  const options = { dryRun: how === 'server', fieldManager: call.flags.text('field-manager'), signal: session.signal };
  const written = how === 'client' ? object : await session.client().create(type, object, options);
  await printResult(call, session, { type, object: written as Untyped, operation: 'created', dryRun: how });
  return undefined;
}

async function sourceOf(call: Call, session: Session): Promise<Untyped> {
  const [target] = await selectTargets(call, session, [call.flags.text('from')], { selectorFlag: '' });
  if (target === undefined) throw new UserError('from must be an existing object');
  const { type, object } = await readTarget(session, target);
  const isCron =
    (type.group === 'batch' && type.kind === 'CronJob') || (type.group === 'apps.kruise.io' && type.kind === 'AdvancedCronJob');
  if (!isCron) throw new UserError(`from must be an existing cronjob or advancedcronjob`);
  return { ...object, apiVersion: apiVersionOf(type), kind: type.kind };
}

const jobRun =
  (kind: JobKind, word: string): Run =>
  async (call, session) => {
    const { name, command } = nameAndCommand(call);
    const [image, from] = [call.flags.text('image'), call.flags.text('from')];
    checkJobSource({ image, from, command });
    const type = await servedType(session, word);
    const place: Place = { apiVersion: apiVersionOf(type), name, namespace: session.namespace() };
    const object = image === '' ? jobFromCron(kind, place, await sourceOf(call, session)) : jobOfImage(kind, place, { image, command });
    return createObject(call, session, type, object);
  };

export const job: Run = jobRun('Job', 'jobs.batch');
export const broadcastJob: Run = jobRun('BroadcastJob', 'broadcastjobs.apps.kruise.io');

async function podNamed(session: Session, name: string): Promise<Untyped> {
  const namespace = session.namespace();
  try {
    return (await session.client().get(pods, { namespace, name }, { signal: session.signal })) as unknown as Untyped;
  } catch (error) {
    if (isFailure(error, 'NotFound')) throw new UserError(`pod ${name} in namespace ${namespace} not exist`);
    throw error;
  }
}

export const containerRecreateRequest: Run = async (call, session) => {
  const { name } = nameAndCommand(call);
  const { flags } = call;
  if (flags.text('pod') === '') throw new UserError('must specify --pod');
  const type = await servedType(session, 'containerrecreaterequests.apps.kruise.io');
  const pod = await podNamed(session, flags.text('pod'));
  const planned = recreateRequest({ apiVersion: apiVersionOf(type), name, namespace: session.namespace() }, pod, {
    containers: flags.list('containers'),
    unreadyGracePeriodSeconds: flags.number('unreadyGracePeriodSeconds'),
    minStartedSeconds: flags.number('minStartedSeconds'),
    terminationGracePeriodSeconds: flags.given('terminationGracePeriodSeconds') ? flags.number('terminationGracePeriodSeconds') : undefined,
    failurePolicy: flags.text('failurePolicy'),
    orderedRecreate: flags.bool('orderedRecreate'),
    forceRecreate: flags.bool('forceRecreate'),
    ttlSecondsAfterFinished: flags.number('ttlSecondsAfterFinished'),
    activeDeadlineSeconds: flags.number('activeDeadlineSeconds'),
  });
  return createObject(call, session, type, planned);
};
