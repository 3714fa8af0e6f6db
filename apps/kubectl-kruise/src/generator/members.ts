/** Members of a configuration in which every scalar is a text, as it is written. */
import { isJsonObject, type JsonObject } from '@kruise/objects';
import { UserError } from '../failure.ts';

/** Returns a text; '' when it is absent. @throws UserError for a list or a map */
export function textIn(object: JsonObject, member: string): string {
  const value = object[member] ?? '';
  if (typeof value !== 'string') throw new UserError(`${member} must be a text`);
  return value;
}

/** Returns a list of texts; undefined when it is absent. @throws UserError for anything else */
export function textsIn(object: JsonObject, member: string): readonly string[] | undefined {
  const value = object[member] ?? '';
  if (value === '') return undefined;
  if (!Array.isArray(value)) throw new UserError(`${member} must be a list`);
  return (value as readonly unknown[]).map((item) => {
    if (typeof item !== 'string') throw new UserError(`${member} must be a list of texts`);
    return item;
  });
}

/** Returns a map of texts, by key; undefined when it is absent. @throws UserError for anything else */
export function mapIn(object: JsonObject, member: string): Readonly<Record<string, string>> | undefined {
  const value = object[member] ?? '';
  if (value === '') return undefined;
  if (!isJsonObject(value)) throw new UserError(`${member} must be a map`);
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, textIn(value, key)]),
  );
}

/** Returns a map; an empty one when it is absent. @throws UserError for anything else */
export function sectionIn(object: JsonObject, member: string): JsonObject {
  const value = object[member] ?? '';
  if (value === '') return {};
  if (!isJsonObject(value)) throw new UserError(`${member} must be a map`);
  return value;
}

/** @throws UserError for what is no truth value */
export function isTrue(object: JsonObject, member: string): boolean {
  const text = textIn(object, member);
  if (/^(true|yes|on)$/i.test(text)) return true;
  if (/^(false|no|off|)$/i.test(text)) return false;
  throw new UserError(`${member} must be true or false, not ${JSON.stringify(text)}`);
}
