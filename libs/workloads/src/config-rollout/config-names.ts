/** Which ConfigMaps and Secrets a workload names in its annotation `config-rollout`. @see spec/config-rollout.md 2 */
import { annotations } from '@kruise/api';
import { compareUtf8, workloadLimits, type KubeObject } from '@kruise/objects';

/** A named object of the workload's namespace. */
export interface ConfigReference {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  /** Whether the object may be missing: that is a content of its own then. */
  readonly isOptional: boolean;
}

/** The parsed annotation. */
export type ConfigNames =
  | { readonly kind: 'None' }
  /** Each object once, by kind and name. */
  | { readonly kind: 'Named'; readonly references: readonly ConfigReference[] }
  /** Why the annotation cannot be used, for users. */
  | { readonly kind: 'Faulty'; readonly why: string };

const kinds: ReadonlyMap<string, ConfigReference['kind']> = new Map([
  ['configmap', 'ConfigMap'],
  ['secret', 'Secret'],
]);

/** As the API server checks names of ConfigMaps and Secrets: a DNS subdomain. */
const namePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const longestName = 253;
const longestShown = 60;

/** Characters that a terminal or a log does not show, or takes for more than text: controls, directions of text, separators of lines. */
const unshown = /[\p{C}\p{Zl}\p{Zp}]/gu;
const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** The text is that of a user, and the message is read by others. */
const shown = (text: string): string =>
  JSON.stringify(text.length > longestShown ? `${text.slice(0, longestShown)}…` : text).replaceAll(unshown, escaped);
const faulty = (why: string): ConfigNames => ({ kind: 'Faulty', why: `annotation ${annotations.configRollout}: ${why}` });

/** Returns `ConfigMap app` for messages. */
export const configText = ({ kind, name }: Pick<ConfigReference, 'kind' | 'name'>): string => `${kind} ${name}`;

function parseReference(text: string): ConfigReference | undefined {
  const isOptional = text.endsWith('?');
  const [kindText = '', name = '', ...rest] = (isOptional ? text.slice(0, -1) : text).split('/');
  const kind = kinds.get(kindText);
  const isName = name.length <= longestName && namePattern.test(name);
  return kind === undefined || !isName || rest.length > 0 ? undefined : { kind, name, isOptional };
}

function parseNames(text: string): ConfigNames {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const { value: most } = workloadLimits.namedConfigs;
  if (entries.length > most) return faulty(`it names ${entries.length} objects, at most ${most} are allowed`);
  const byText = new Map<string, ConfigReference>();
  for (const entry of entries) {
    const reference = parseReference(entry);
    if (reference === undefined)
      return faulty(`${shown(entry)} is not configmap/NAME or secret/NAME, with ? at the end if it may be missing`);
    const known = byText.get(configText(reference));
    byText.set(configText(reference), { ...reference, isOptional: reference.isOptional && known?.isOptional !== false });
  }
  const references = [...byText.values()].sort((a, b) => compareUtf8(configText(a), configText(b)));
  return references.length === 0 ? { kind: 'None' } : { kind: 'Named', references };
}

/** Returns the objects that a workload names. An object that is named twice is optional only if both entries say so. */
export function configNamesOf({ metadata }: KubeObject): ConfigNames {
  const text = metadata.annotations?.[annotations.configRollout];
  return text === undefined ? { kind: 'None' } : parseNames(text);
}
