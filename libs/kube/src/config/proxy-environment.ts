/** Determines the proxy that the environment requests: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, upper or lower case, read as Go programs read them. */
import { BlockList, isIP } from 'node:net';

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const variable = (env: Environment, name: string): string | undefined => {
  const value = env[name] ?? env[name.toLowerCase()];
  return value === undefined || value === '' ? undefined : value;
};

const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').toLowerCase();

/** Returns the proxy URL for calls to `server`, or undefined. Loopback servers are never proxied. */
export function proxyFromEnvironment(server: string, env: Environment): string | undefined {
  const url = new URL(server);
  const proxy = url.protocol === 'https:' ? variable(env, 'HTTPS_PROXY') : variable(env, 'HTTP_PROXY');
  if (proxy === undefined || isLoopback(bareHost(url)) || isExempt(url, variable(env, 'NO_PROXY') ?? '')) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function isExempt(url: URL, noProxy: string): boolean {
  const host = bareHost(url);
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== '' && matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return inNetwork(entry, host);
  const withPort = /^(.*):(\d+)$/.exec(entry);
  if (withPort !== null && isIP(entry) === 0) {
    return withPort[2] === port && matches((withPort[1] ?? '').replace(/^\[|\]$/g, ''), host, port);
  }
  const domain = entry.replace(/^\*?\.?/, '');
  return host === domain ? !entry.startsWith('.') && !entry.startsWith('*.') : host.endsWith(`.${domain}`) && isIP(host) === 0;
}

function inNetwork(network: string, host: string): boolean {
  const [address = '', bits = ''] = network.split('/');
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
