/** Which Pod and container `exec` means (spec/kubectl-kruise.md 8). */
import { isJsonObject, isPodActive, isPodReady, memberAt, objectsAt, parseJsonText, stringAt, type Pod } from '@kruise/objects';
import { UserError } from '../failure.ts';
import { type Untyped } from '../objects/untyped.ts';

const hotUpgradeKey = 'kruise.io/sidecarset-working-hotupgrade-container';

/** The container that works for each sidecar that is upgraded hot. */
function workingContainers(pod: Untyped): Readonly<Record<string, unknown>> {
  const text = pod.metadata.annotations?.[hotUpgradeKey];
  if (text === undefined || text === '') return {};
  try {
    const parsed: unknown = parseJsonText(text);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

const namesOf = (pod: Untyped): readonly string[] =>
  ['containers', 'initContainers'].flatMap((list) => objectsAt(pod, 'spec', list).map((container) => stringAt(container, 'name') ?? ''));

/** A container, and what stderr says about the choice. */
export interface Choice {
  readonly container: string;
  readonly note?: string;
}

function sidecarContainer(pod: Untyped, sidecar: string, container: string): Choice {
  const working = workingContainers(pod);
  const found = Object.hasOwn(working, sidecar) ? working[sidecar] : undefined;
  if (typeof found === 'string' && found !== '') return { container: found, note: `Enter working container ${found} of SidecarSet.` };
  if (container !== '') return { container };
  if (namesOf(pod).includes(sidecar)) return { container: sidecar };
  const known = Object.keys(working);
  throw new UserError(
    `no sidecar ${JSON.stringify(sidecar)} in pod ${pod.metadata.name}: ${known.length === 0 ? 'it has none that is upgraded hot' : `must be one of ${known.join(', ')}`}`,
  );
}

/** @throws UserError for a Pod that is complete, and a sidecar that is not there */
export function chooseContainer(pod: Untyped, asked: { readonly container: string; readonly sidecar: string }): Choice {
  const phase = stringAt(pod, 'status', 'phase') ?? '';
  if (phase === 'Succeeded' || phase === 'Failed')
    throw new UserError(`cannot exec into a container in a completed pod; current phase is ${phase}`);
  if (asked.sidecar !== '') return sidecarContainer(pod, asked.sidecar, asked.container);
  if (asked.container !== '') return { container: asked.container };
  const preferred = pod.metadata.annotations?.['kubectl.kubernetes.io/default-container'];
  const names = objectsAt(pod, 'spec', 'containers').map((container) => stringAt(container, 'name') ?? '');
  if (preferred !== undefined && names.includes(preferred)) return { container: preferred };
  const [first] = names;
  if (first === undefined) throw new UserError(`pod ${pod.metadata.name} has no containers`);
  return names.length > 1 ? { container: first, note: `Defaulting container name to ${first}.` } : { container: first };
}

/** The Pod of a workload to enter: active, ready before not ready, older before newer; undefined when there is none. */
export function firstPod(pods: readonly Untyped[]): Untyped | undefined {
  const rank = (pod: Untyped): string =>
    `${isPodReady(pod as unknown as Pod) ? 0 : 1}${String(memberAt(pod, 'metadata', 'creationTimestamp'))} ${pod.metadata.name}`;
  return pods.filter((pod) => isPodActive(pod as unknown as Pod)).toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))[0];
}
