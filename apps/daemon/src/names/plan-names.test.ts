import { describe, expect, it } from '@jest/globals';
import { listedAddresses, namesToAsk, parseSearchRules } from './plan-names.ts';

describe('the search rules of resolv.conf', () => {
  it.each<{ name: string; text: string; rules: ReturnType<typeof parseSearchRules> }>([
    {
      name: 'are those of a Pod',
      text: 'search a.svc.cluster.local svc.cluster.local\nnameserver 10.0.0.10\noptions ndots:5 timeout:1\n',
      rules: { search: ['a.svc.cluster.local', 'svc.cluster.local'], ndots: 5 },
    },
    {
      name: 'are the last ones of several',
      text: 'domain a.test\nsearch b.test # c.test\noptions ndots:2 ndots:3',
      rules: { search: ['b.test'], ndots: 3 },
    },
    { name: 'have one dot by default', text: '# search a.test\n;options ndots:3\nnameserver 1.1.1.1', rules: { search: [], ndots: 1 } },
    { name: 'have at most 15 dots', text: 'options ndots:99', rules: { search: [], ndots: 15 } },
    { name: 'omit options that are no number', text: 'options ndots:x rotate', rules: { search: [], ndots: 1 } },
  ])('$name', ({ text, rules }) => {
    expect(parseSearchRules(text)).toEqual(rules);
  });

  it('have at most 32 domains', () => {
    expect(parseSearchRules(`search ${Array.from({ length: 40 }, (_, i) => `d${i}`).join(' ')}`).search).toHaveLength(32);
  });
});

describe('the names to look up', () => {
  const rules = { search: ['a.test.', 'b.test', '.'], ndots: 2 };
  it.each<[string, readonly string[]]>([
    ['web', ['web.a.test', 'web.b.test', 'web']],
    ['web.shop', ['web.shop.a.test', 'web.shop.b.test', 'web.shop']],
    ['web.shop.svc', ['web.shop.svc', 'web.shop.svc.a.test', 'web.shop.svc.b.test']],
    ['web.', ['web']],
  ])('%s are %j', (host, names) => {
    expect(namesToAsk(host, rules)).toEqual(names);
  });
});

describe('addresses without a name server', () => {
  const hosts = '127.0.0.1 localhost\n::1 localhost # web\n10.0.0.1 Web web.shop\n10.0.0.2 web web\n10.0.0.1 web\n';
  it.each<[string, string, readonly string[]]>([
    ['web', hosts, ['10.0.0.1', '10.0.0.2']],
    ['WEB.', hosts, ['10.0.0.1', '10.0.0.2']],
    ['web.shop', hosts, ['10.0.0.1']],
    ['localhost', hosts, ['127.0.0.1', '::1']],
    ['localhost', '', ['127.0.0.1', '::1']],
    ['a.localhost', '', ['127.0.0.1', '::1']],
    ['localhost.test', '', []],
    ['other', hosts, []],
  ])('of %s in %j are %j', (host, text, addresses) => {
    expect(listedAddresses(host, text)).toEqual(addresses);
  });
});
