/** The KRM function of kustomize that makes a ResourceDistribution. @see spec/kubectl-kruise.md 10 */
import { isJsonObject, messageOf, type JsonObject } from '@kruise/objects';
import { parseDocument } from 'yaml';
import { UserError } from '../failure.ts';
import { yamlText } from '../objects/documents.ts';
import { isTrue, mapIn, sectionIn, textIn, textsIn } from './members.ts';
import { pairsOf, utf8Text, type PairReads } from './pairs.ts';
import { targetsOf } from './targets.ts';

/** Lines of this length, as kustomize writes binary data. */
const base64Line = 70;

function base64(value: Uint8Array): string {
  const text = btoa(Array.from(value, (byte) => String.fromCodePoint(byte)).join(''));
  return text.length < base64Line ? text : (text.match(/.{1,70}/g) ?? []).map((line) => `${line}\n`).join('');
}

type Members = Readonly<Record<string, string>>;

/** Values of a ConfigMap are texts where they can be. */
function configMapData(pairs: ReturnType<typeof pairsOf>): JsonObject {
  const [data, binaryData]: [Record<string, string>, Record<string, string>] = [{}, {}];
  for (const [key, value] of pairs) {
    const text = utf8Text(value);
    if (text === undefined) binaryData[key] = base64(value);
    else data[key] = text;
  }
  const given = (name: string, members: Members): JsonObject => (Object.keys(members).length === 0 ? {} : { [name]: members });
  return { ...given('data', data), ...given('binaryData', binaryData) };
}

const metadataOf = (name: string, options: JsonObject): JsonObject => {
  const [annotations, labels] = [mapIn(options, 'annotations'), mapIn(options, 'labels')];
  return { ...(annotations === undefined ? {} : { annotations }), ...(labels === undefined ? {} : { labels }), name };
};

function resourceOf(resource: JsonObject, reads: PairReads): JsonObject {
  const [name, kind] = [textIn(resource, 'resourceName'), textIn(resource, 'resourceKind')];
  const env = textIn(resource, 'env');
  const sources = {
    literals: textsIn(resource, 'literals') ?? [],
    files: textsIn(resource, 'files') ?? [],
    envs: [...(textsIn(resource, 'envs') ?? []), ...(env === '' ? [] : [env])],
  };
  const pairs = pairsOf(name, sources, reads);
  if (kind !== 'ConfigMap' && kind !== 'Secret') throw new UserError('resourceKind must be ConfigMap or Secret');
  if (name === '') throw new UserError('a ResourceDistribution must have a resource name');
  const options = sectionIn(resource, 'resourceOptions');
  const type = textIn(resource, 'type');
  return {
    apiVersion: 'v1',
    kind,
    metadata: metadataOf(name, options),
    ...(isTrue(options, 'immutable') ? { immutable: true } : {}),
    ...(kind === 'ConfigMap'
      ? configMapData(pairs)
      : { data: Object.fromEntries(pairs.map(([key, value]) => [key, base64(value)])), type: type === '' ? 'Opaque' : type }),
  };
}

/** @throws UserError for what is no configuration */
function distributionOf(config: JsonObject, reads: PairReads): JsonObject {
  const name = textIn(sectionIn(config, 'metadata'), 'name');
  if (name === '') throw new UserError('a ResourceDistribution must have a name');
  return {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'ResourceDistribution',
    metadata: metadataOf(name, sectionIn(config, 'options')),
    spec: { resource: resourceOf(sectionIn(config, 'resource'), reads), targets: targetsOf(sectionIn(config, 'targets')) },
  };
}

/** Every scalar stays as it is written, because labels, annotations and data are texts. */
function readList(text: string): JsonObject {
  try {
    const document = parseDocument(text, { schema: 'failsafe', prettyErrors: false, logLevel: 'silent' });
    const [error] = document.errors;
    if (error !== undefined) throw error;
    const list: unknown = document.toJS({ maxAliasCount: 100 });
    if (isJsonObject(list)) return list;
  } catch (error) {
    throw new UserError(`stdin is not a ResourceList: ${messageOf(error)}`);
  }
  throw new UserError('stdin is not a ResourceList');
}

/**
 * Returns the ResourceList that kustomize reads: the ResourceDistribution that its configuration describes is the only item.
 *
 * @param text a ResourceList as YAML or JSON, with the configuration in `functionConfig`
 * @throws UserError for a configuration that describes none
 */
export function generate(text: string, reads: PairReads): string {
  const list = readList(text);
  const config = sectionIn(list, 'functionConfig');
  const kind = textIn(config, 'kind');
  if (kind !== 'ResourceDistributionGenerator')
    throw new UserError(`functionConfig must be a ResourceDistributionGenerator${kind === '' ? '' : `, not a ${kind}`}`);
  return yamlText({
    apiVersion: 'config.kubernetes.io/v1',
    kind: 'ResourceList',
    items: [distributionOf(config, reads)],
  });
}
