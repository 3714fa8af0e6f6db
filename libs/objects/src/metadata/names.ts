/**
 * Kubernetes' rules for names, label keys and label values. Every check returns the messages that Kubernetes would print; an empty list means that
 * the text is valid.
 */

import { referenceLimits } from '../limits/index.ts';

interface Format {
  readonly regex: RegExp;
  readonly maxBytes: number;
  /** The message for a text that does not match. It is created once, because one object may contain thousands of them. */
  readonly rule: string;
}

const format = (pattern: string, rule: string, maxBytes: number, ...examples: readonly string[]): Format => ({
  regex: new RegExp(`^${pattern}$`),
  maxBytes,
  rule: `${rule} (e.g. ${examples.map((example) => `'${example}'`).join(',  or ')}, regex used for validation is '${pattern}')`,
});

const labelPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const edges = 'must start and end with an alphanumeric character';

const dns1123Label = format(
  labelPattern,
  `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and ${edges}`,
  63,
  'my-name',
  '123-abc',
);
const dns1123Subdomain = format(
  `${labelPattern}(\\.${labelPattern})*`,
  `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and ${edges}`,
  253,
  'example.com',
);
const qualifiedName = format(
  '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]',
  `must consist of alphanumeric characters, '-', '_' or '.', and ${edges}`,
  63,
  'MyName',
  'my.name',
  '123-abc',
);
const labelValue = format(
  '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?',
  `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and ${edges}`,
  63,
  'MyValue',
  'my_value',
  '12345',
);

const tooLong = (maxBytes: number): string => `must be no more than ${String(maxBytes)} bytes`;

function check(text: string, wanted: Format): string[] {
  const messages: string[] = [];
  if (text.length > wanted.maxBytes) messages.push(tooLong(wanted.maxBytes));
  if (!wanted.regex.test(text)) messages.push(wanted.rule);
  return messages;
}

/** Checks names of containers, volumes, ports and of objects that become a DNS label. */
export function checkDns1123Label(text: string): readonly string[] {
  const messages = check(text, dns1123Label);
  const isSubdomain = !dns1123Label.regex.test(text) && dns1123Subdomain.regex.test(text);
  return isSubdomain ? [...messages.slice(0, -1), 'must not contain dots'] : messages;
}

/** Checks names of most objects. */
export const checkDns1123Subdomain = (text: string): readonly string[] => check(text, dns1123Subdomain);

/** Returns whether an object can have this name or namespace in URLs. Kubernetes refuses every other name, for any kind. */
export const isPathSegmentName = (text: string): boolean => text !== '' && text !== '.' && text !== '..' && !/[/%]/.test(text);

/** Returns whether a group, version, resource or subresource can have this name: a text that is the same inside and outside a URL. */
export const isApiPathPart = (text: string): boolean =>
  text.length <= referenceLimits.pathPartCharacters.value && /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text);

/** Returns whether a text is `group/version`, or only the version, of an API that a server can serve. */
export function isApiVersion(text: string): boolean {
  const parts = text.split('/', 3);
  return parts.length <= 2 && parts.every(isApiPathPart);
}

/** Checks the value of a label, which may be empty. */
export const checkLabelValue = (text: string): readonly string[] => check(text, labelValue);

/** Checks the key of a label or annotation, a finalizer or a condition type: a name with an optional DNS subdomain and `/` before it. */
export function checkQualifiedName(text: string): readonly string[] {
  const [first = '', second, third] = text.split('/', 3);
  if (third !== undefined)
    return [`a qualified name ${qualifiedName.rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const messages: string[] = [];
  if (second !== undefined) {
    if (first === '') messages.push('prefix part must be non-empty');
    else messages.push(...check(first, dns1123Subdomain).map((message) => `prefix part ${message}`));
  }
  const name = second ?? first;
  if (name === '') messages.push('name part must be non-empty');
  else if (name.length > qualifiedName.maxBytes) messages.push(`name part ${tooLong(qualifiedName.maxBytes)}`);
  if (!qualifiedName.regex.test(name)) messages.push(`name part ${qualifiedName.rule}`);
  return messages;
}
