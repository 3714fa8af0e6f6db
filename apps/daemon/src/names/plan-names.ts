/** Host names as the C library looks them up: /etc/hosts first, then DNS with the search domains of /etc/resolv.conf. Pure. */

/** The parts of /etc/resolv.conf that determine which names are looked up. */
export interface SearchRules {
  readonly search: readonly string[];
  /** A name with this many dots is looked up unchanged before the search domains. */
  readonly ndots: number;
}

/** For one name, as the C library limits it; more would only cost time. */
const longestSearch = 32;
const largestNdots = 15;
const loopback = ['127.0.0.1', '::1'];

const wordsOf = (text: string, comment: RegExp): readonly (readonly string[])[] =>
  text.split('\n').map((line) =>
    line
      .replace(comment, '')
      .split(/\s+/)
      .filter((word) => word !== ''),
  );

/** Parses the rules. @param text of /etc/resolv.conf. Of several `search` or `domain` lines the last counts */
export function parseSearchRules(text: string): SearchRules {
  let rules: SearchRules = { search: [], ndots: 1 };
  for (const [keyword, ...values] of wordsOf(text, /[#;].*$/)) {
    if (keyword === 'search' || keyword === 'domain') rules = { ...rules, search: values.slice(0, longestSearch) };
    if (keyword !== 'options') continue;
    const ndots = values.map((value) => /^ndots:(\d+)$/.exec(value)?.[1]).findLast((value) => value !== undefined);
    if (ndots !== undefined) rules = { ...rules, ndots: Math.min(Number(ndots), largestNdots) };
  }
  return rules;
}

/**
 * Returns the full names to look up, in this order; the first one that has an address ends the search.
 *
 * @param host no address, not empty
 */
export function namesToAsk(host: string, { search, ndots }: SearchRules): readonly string[] {
  if (host.endsWith('.')) return [host.slice(0, -1)];
  const expanded = search.filter((domain) => domain !== '.').map((domain) => `${host}.${domain.replace(/\.$/, '')}`);
  return host.split('.').length > ndots ? [host, ...expanded] : [...expanded, host];
}

/**
 * Returns the addresses of a host that are known without a name server: its lines in /etc/hosts, and the loopback addresses for `localhost`.
 *
 * @param hosts text of /etc/hosts
 * @returns as written there, each once
 */
export function listedAddresses(host: string, hosts: string): readonly string[] {
  const name = host.replace(/\.$/, '').toLowerCase();
  const listed = wordsOf(hosts, /#.*$/).flatMap(([address = '', ...names]) =>
    names.some((one) => one.toLowerCase() === name) ? [address] : [],
  );
  if (listed.length > 0) return [...new Set(listed)];
  return name === 'localhost' || name.endsWith('.localhost') ? loopback : [];
}
