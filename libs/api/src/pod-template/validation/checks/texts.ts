/** Kubernetes' rules for strings in Pod specs; each returns its faults in words, none for a valid string. */
import { checkDns1123Subdomain } from '@kruise/objects';

const rule =
  (holds: (text: string) => boolean, why: string) =>
  (text: string): readonly string[] =>
    holds(text) ? [] : [why];

const all =
  (...rules: readonly ((text: string) => readonly string[])[]) =>
  (text: string): readonly string[] =>
    rules.flatMap((check) => check(text));

/** IANA service names, as names of container ports. */
export const portName = all(
  rule((text) => text.length <= 15, 'must be no more than 15 characters'),
  rule((text) => /^[-a-z0-9]+$/.test(text), 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'),
  rule((text) => /[a-z]/.test(text), 'must contain at least one letter (a-z)'),
  rule((text) => !text.includes('--'), 'must not contain consecutive hyphens'),
  rule((text) => !/^-|-$/.test(text), 'must not begin or end with a hyphen'),
);

/** Names of environment variables: printable ASCII except `=`. */
export const envName = rule(
  (text) => /^[ -<>-~]+$/.test(text),
  "a valid environment variable name must consist only of printable ASCII characters other than '='",
);

/** The names that Kubernetes before 1.32 accepts. */
export const strictEnvName = rule(
  (text) => /^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(text) && text !== '.' && !text.startsWith('..'),
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit, '..' or be '.' (Kubernetes 1.32 and later take all printable ASCII characters other than '=')",
);

export const headerName = rule(
  (text) => /^[-A-Za-z0-9]+$/.test(text),
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
);

/** Keys of ConfigMaps and Secrets. */
export const dataKey = all(
  rule((text) => text.length <= 253, 'must be no more than 253 characters'),
  rule(
    (text) => /^[-._a-zA-Z0-9]+$/.test(text),
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
  ),
  rule((text) => text !== '.', "must not be '.'"),
  rule((text) => text !== '..', "must not be '..'"),
);

const hasBackstep = (path: string): boolean => /(?:^|\/)\.\.(?:\/|$)/.test(path);
export const withoutBacksteps = rule((text) => !hasBackstep(text), "must not contain '..'");
const relative = rule((text) => !text.startsWith('/'), 'must be a relative path');
/** A path below a volume's root. */
export const localPath = all(relative, withoutBacksteps);
/** A file in a volume whose content Kubernetes writes; names that begin with two dots are reserved. */
export const projectedPath = all(
  localPath,
  rule((text) => !text.startsWith('..') || hasBackstep(text), "must not start with '..'"),
);
export const absolutePath = rule((text) => text.startsWith('/'), 'must be an absolute path');

export const trimmed = rule((text) => text.trim() === text, 'must not have leading or trailing whitespace');

/** Leading zeros are accepted, as the API server does. */
const ipv4 = /^(0*(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.|$)){4}$/;
const isIpv4 = (text: string): boolean => ipv4.test(text) && !text.endsWith('.');

/** The maximum of groups, and one more to detect too many. */
const mostGroups = 9;

function isIpv6(text: string): boolean {
  const halves = text.split('::', 3);
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':', mostGroups)));
  const tail = text.endsWith(':') ? '' : (groups.at(-1) ?? '');
  const hasIpv4Tail = tail.includes('.');
  const hex = hasIpv4Tail ? groups.slice(0, -1) : groups;
  const size = hex.length + (hasIpv4Tail ? 2 : 0);
  const fits = halves.length === 2 ? size < 8 : size === 8;
  return fits && hex.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group)) && (!hasIpv4Tail || isIpv4(tail));
}

export const ipAddress = rule((text) => isIpv4(text) || isIpv6(text), 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');

/** A CSI or resource driver. */
export const driverName = all(
  rule((text) => text.length <= 63, 'must be no more than 63 bytes'),
  (text) => checkDns1123Subdomain(text.toLowerCase()),
);
