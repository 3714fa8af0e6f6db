/** Texts with objects, as YAML or JSON, one or many. */
import { isJsonObject, messageOf, parseLossless, type JsonObject } from '@kruise/objects';
import { parseAllDocuments, stringify } from 'yaml';
import { UserError } from '../failure.ts';
import { kubectlYaml } from './kubectl-yaml.ts';
import type { Untyped } from './untyped.ts';

/** The documents of a text; YAML as kubectl reads it (1.1: `on` is true). */
function contentsOf(text: string, place: string): readonly unknown[] {
  if (text.trimStart().startsWith('{')) {
    try {
      return [parseLossless(text)];
    } catch {
      // Several JSON documents, or YAML in flow style.
    }
  }
  const documents = parseAllDocuments(text, kubectlYaml);
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => {
    const [error] = document.errors;
    if (error !== undefined)
      throw new UserError(`error parsing ${place}: line ${text.slice(0, error.pos[0]).split('\n').length}: ${error.message}`);
    try {
      return document.toJS({ maxAliasCount: 100 }) as unknown;
    } catch (thrown) {
      throw new UserError(`error parsing ${place}: ${messageOf(thrown)}`);
    }
  });
}

function checked(content: unknown, place: string): readonly Untyped[] {
  if (content === null || content === undefined) return [];
  if (!isJsonObject(content)) throw new UserError(`error parsing ${place}: a document is not an object`);
  if (typeof content['kind'] !== 'string' || content['kind'] === '')
    throw new UserError(`unable to decode ${JSON.stringify(place)}: Object 'Kind' is missing`);
  if (typeof content['apiVersion'] !== 'string' || content['apiVersion'] === '')
    throw new UserError(`unable to decode ${JSON.stringify(place)}: Object 'apiVersion' is missing`);
  if (content['kind'].endsWith('List') && Array.isArray(content['items']))
    return (content['items'] as unknown[]).flatMap((item) => checked(item, place));
  const { metadata } = content;
  if (!isJsonObject(metadata)) throw new UserError(`error parsing ${place}: metadata is not an object`);
  return [content as unknown as Untyped];
}

/**
 * The objects of a text; lists are taken apart, empty documents passed over.
 *
 * @param place for messages
 * @throws UserError for what is no object
 */
export const parseDocuments = (text: string, place: string): readonly Untyped[] =>
  contentsOf(text, place).flatMap((content) => checked(content, place));

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return (value as unknown[]).map(sorted);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
};

/** An object as kubectl prints it: members in the order of their names. */
export const yamlText = (object: unknown): string =>
  stringify(sorted(object), { lineWidth: 0, version: '1.1', indentSeq: false, aliasDuplicateObjects: false });

/** An object with its members sorted, for JSON. */
export const withSortedMembers = (object: JsonObject): JsonObject => sorted(object) as JsonObject;
