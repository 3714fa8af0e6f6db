/** `set env`. */
import { isJsonObject, memberAt, objectsAt, stringAt, type JsonObject } from '@kruise/objects';
import { joined, UserError } from '../../failure.ts';
import type { Call, Run } from '../../cli/command.ts';
import { type Untyped } from '../../objects/untyped.ts';
import { podSpecPath, workloadKindOf } from '../../objects/workload-kind.ts';
import { changeObjects, changePodSpec } from '../../session/apply-change.ts';
import { hasFiles } from '../../session/read-files.ts';
import { forEachTarget, readTarget, selectTargets, servedType, type Selected } from '../../session/select-objects.ts';
import type { Session } from '../../session.ts';
import { containersMatching, envLines, envsFrom, envSource, parseEnvs, splitEnvArguments, withEnvs } from '../../set/containers.ts';

/** The Secret or ConfigMap of `--from`. */
async function readSource(session: Session, text: string): Promise<Selected> {
  const [word = '', name = ''] = text.split('/');
  const type = await servedType(session, word);
  if (type.group !== '' || (type.kind !== 'Secret' && type.kind !== 'ConfigMap'))
    throw new UserError(`unsupported resource specified in --from`);
  return readTarget(session, { type, name, namespace: session.namespace() });
}

async function fromSource(call: Call, session: Session): Promise<readonly JsonObject[]> {
  const from = call.flags.text('from');
  if (from === '') return [];
  const { type, name, object } = await readSource(session, from);
  const data = memberAt(object, 'data');
  const all = isJsonObject(data) ? Object.keys(data) : [];
  const wanted = call.flags.list('keys');
  const keys = wanted.length === 0 ? all : all.filter((key) => wanted.includes(key));
  return envsFrom({ kind: type.kind === 'Secret' ? 'secret' : 'configmap', name, keys }, call.flags.text('prefix'));
}

/** The value behind a reference. @throws what reading it throws */
async function resolve(session: Session, namespace: string, env: JsonObject): Promise<string | undefined> {
  const secret = memberAt(env, 'valueFrom', 'secretKeyRef');
  const ref = secret ?? memberAt(env, 'valueFrom', 'configMapKeyRef');
  if (!isJsonObject(ref)) return undefined;
  const type = await servedType(session, secret === undefined ? 'configmaps' : 'secrets');
  const { object } = await readTarget(session, { type, namespace, name: stringAt(ref, 'name') ?? '' });
  const value = stringAt(object, 'data', stringAt(ref, 'key') ?? '');
  if (value === undefined)
    throw new UserError(`key ${stringAt(ref, 'key') ?? ''} not found in ${type.singular} ${stringAt(ref, 'name') ?? ''}`);
  return secret === undefined ? value : Buffer.from(value, 'base64').toString('utf8');
}

async function envLine(call: Call, session: Session, namespace: string, env: JsonObject): Promise<string> {
  const [name, source] = [stringAt(env, 'name') ?? '', envSource(env)];
  if (source === undefined) return `${name}=${stringAt(env, 'value') ?? ''}\n`;
  const value = call.flags.bool('resolve') ? await resolve(session, namespace, env) : undefined;
  return value === undefined ? `# ${name} from ${source}\n` : `${name}=${value}\n`;
}

async function list(
  call: Call,
  session: Session,
  {
    type,
    namespace,
    name,
    object,
  }: { readonly type: Selected['type']; readonly namespace: string; readonly name: string; readonly object: Untyped },
): Promise<void> {
  const path = podSpecPath(workloadKindOf(type), object);
  const spec = path === undefined ? undefined : memberAt(object, ...path);
  if (!isJsonObject(spec)) throw new UserError(`the object is not a pod or does not have a pod template: ${type.kind}`);
  const failures: unknown[] = [];
  for (const container of containersMatching(spec, call.flags.text('containers'))) {
    session.out(`# ${type.kind} ${name}, container ${stringAt(container, 'name') ?? ''}\n`);
    for (const env of objectsAt(container, 'env')) {
      try {
        session.out(await envLine(call, session, namespace, env));
      } catch (error) {
        failures.push(error);
      }
    }
  }
  if (failures.length > 0) throw joined(failures);
}

async function specsOf(call: Call, session: Session, envs: readonly string[]): Promise<readonly string[]> {
  const given = [...call.flags.list('env'), ...envs];
  const lines = given.includes('-') ? envLines(await session.stdin()) : [];
  return [...given.filter((spec) => spec !== '-'), ...lines];
}

export const run: Run = async (call, session) => {
  const { resources, envs } = splitEnvArguments(call.args);
  const { flags } = call;
  if (flags.bool('list')) {
    const failures = await forEachTarget(session, await selectTargets(call, session, resources), (selected) =>
      list(call, session, selected),
    );
    if (failures.length > 0) throw joined(failures);
    return undefined;
  }
  const specs = await specsOf(call, session, envs);
  if (specs.length === 0 && flags.text('from') === '') throw new UserError('at least one environment variable must be provided');
  if (resources.length === 0 && !hasFiles(flags))
    throw new UserError('one or more resources must be specified as <resource> <name> or <resource>/<name>');
  const { set, remove } = parseEnvs(specs);
  const change = { set: [...set, ...(await fromSource(call, session))], remove, overwrite: flags.bool('overwrite') };
  const pattern = flags.text('containers');
  return changeObjects(call, session, resources, {
    change: changePodSpec((spec) => withEnvs(spec, change, pattern)),
    operation: 'env updated',
  });
};
