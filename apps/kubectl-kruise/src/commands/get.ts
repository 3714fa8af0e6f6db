/** `get all`: every kind of Kruise that is served, with the columns that the server prints. */
import { collectionPath, isNotServed, withQuery } from '@kruise/kube';
import type { Run } from '../cli/command.ts';
import { joined } from '../failure.ts';
import type { ServedType } from '../objects/served-types.ts';
import { serverTableText } from '../print/server-table.ts';
import { noKruise, servesKruise } from '../session/select-objects.ts';
import type { Session } from '../session.ts';

const groups = ['apps.kruise.io', 'policy.kruise.io', 'rollouts.kruise.io'];
const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** The preferred version of each kind that can be listed. */
const listed = (types: readonly ServedType[]): readonly ServedType[] =>
  types.filter(
    (type, index) =>
      groups.includes(type.group) &&
      type.verbs.includes('list') &&
      types.findIndex((one) => one.group === type.group && one.plural === type.plural) === index,
  );

async function tableOf(
  session: Session,
  type: ServedType,
  how: { readonly namespace: string; readonly selector: string },
): Promise<unknown> {
  const path = withQuery(collectionPath(type, how.namespace), [['labelSelector', how.selector === '' ? undefined : how.selector]]);
  try {
    return await session.client().raw(path, { headers: { accept }, signal: session.signal });
  } catch (error) {
    // The definition was deleted since discovery.
    if (isNotServed(error)) return undefined;
    throw error;
  }
}

export const all: Run = async (call, session) => {
  const { flags } = call;
  const namespaces = flags.bool('all-namespaces');
  const how = { namespace: namespaces ? '' : session.namespace(), selector: flags.text('selector') };
  const types = listed(await session.types());
  const answers = await Promise.allSettled(types.map((type) => tableOf(session, type, how)));
  let isEmpty = true;
  for (const [index, answer] of answers.entries()) {
    const type = types[index];
    if (type === undefined || answer.status === 'rejected') continue;
    const text = serverTableText(answer.value, { wide: flags.text('output') === 'wide', namespaces: namespaces && type.namespaced });
    if (text === '') continue;
    isEmpty = false;
    session.out(`\n${type.plural}.${type.group}:\n${text}`);
  }
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  if (failures.length > 0) throw joined(failures);
  if (isEmpty && !servesKruise(await session.types())) session.warn(`No resources found: ${noKruise}`);
  else if (isEmpty) session.warn(namespaces ? 'No resources found' : `No resources found in ${how.namespace} namespace.`);
  return undefined;
};
