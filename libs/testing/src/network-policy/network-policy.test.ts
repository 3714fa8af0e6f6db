import { describe, expect, it } from '@jest/globals';
import { networkVerdicts } from '../recorded/recorded.ts';
import { isConnectionAllowed, type Connection, type NetworkEnd, type NetworkPolicy } from './network-policy.ts';

const podIn = (namespace: string, app: string, address: string): NetworkEnd => ({
  address,
  pod: {
    namespace,
    labels: { app },
    namespaceLabels: { 'kubernetes.io/metadata.name': namespace },
    ports: [{ name: 'http', containerPort: 8080 }],
  },
});
const [web, db, other] = [podIn('shop', 'web', '10.0.0.1'), podIn('shop', 'db', '10.0.0.2'), podIn('ops', 'web', '10.0.0.3')];
const outside: NetworkEnd = { address: '192.168.7.9' };
const policyOf = (spec: Partial<NetworkPolicy['spec']>): NetworkPolicy => ({
  metadata: { namespace: 'shop' },
  spec: { podSelector: { matchLabels: { app: 'db' } }, ...spec },
});
const connect = (from: NetworkEnd, to: NetworkEnd, port = 8080, protocol: Connection['protocol'] = 'TCP'): Connection => ({
  from,
  to,
  port,
  protocol,
});

describe('a NetworkPolicy', () => {
  it.each<{ name: string; spec: Partial<NetworkPolicy['spec']>; connection: Connection; is: boolean }>([
    { name: 'without rules lets nothing in', spec: { ingress: [] }, connection: connect(web, db), is: false },
    { name: 'with an empty rule lets everything in', spec: { ingress: [{}] }, connection: connect(outside, db), is: true },
    { name: 'does not restrict Pods that it does not select', spec: { ingress: [] }, connection: connect(db, web), is: true },
    { name: 'does not restrict Pods of other namespaces', spec: { podSelector: {} }, connection: connect(web, other), is: true },
    { name: 'with rules for ingress alone lets everything out', spec: { ingress: [] }, connection: connect(db, outside), is: true },
    { name: 'of type Egress alone lets everything in', spec: { policyTypes: ['Egress'] }, connection: connect(web, db), is: true },
    { name: 'of type Egress without rules lets nothing out', spec: { policyTypes: ['Egress'] }, connection: connect(db, web), is: false },
    {
      name: 'with a selector of Pods alone means its own namespace',
      spec: { ingress: [{ from: [{ podSelector: { matchLabels: { app: 'web' } } }] }] },
      connection: connect(other, db),
      is: false,
    },
    {
      name: 'with both selectors in one peer wants both',
      spec: { ingress: [{ from: [{ podSelector: { matchLabels: { app: 'db' } }, namespaceSelector: {} }] }] },
      connection: connect(other, db),
      is: false,
    },
    {
      name: 'with two peers wants one of them',
      spec: { ingress: [{ from: [{ podSelector: { matchLabels: { app: 'x' } } }, { namespaceSelector: {} }] }] },
      connection: connect(other, db),
      is: true,
    },
    {
      name: 'with selectors lets no address without a Pod in',
      spec: { ingress: [{ from: [{ namespaceSelector: {} }] }] },
      connection: connect(outside, db),
      is: false,
    },
    {
      name: 'with a block lets none of its exceptions in',
      spec: { ingress: [{ from: [{ ipBlock: { cidr: '192.168.0.0/16', except: ['192.168.7.8/31'] } }] }] },
      connection: connect(outside, db),
      is: false,
    },
    {
      name: 'with a block of the other IP family does not match',
      spec: { ingress: [{ from: [{ ipBlock: { cidr: '::/0' } }] }] },
      connection: connect(outside, db),
      is: false,
    },
    { name: 'finds a port by its name', spec: { ingress: [{ ports: [{ port: 'http' }] }] }, connection: connect(web, db), is: true },
    {
      name: 'means TCP unless it says UDP',
      spec: { ingress: [{ ports: [{ port: 53 }] }] },
      connection: connect(web, db, 53, 'UDP'),
      is: false,
    },
    {
      name: 'with a range of ports includes its end',
      spec: { ingress: [{ ports: [{ port: 8000, endPort: 8080 }] }] },
      connection: connect(web, db),
      is: true,
    },
    {
      name: 'wants peer and port in the same rule',
      spec: { ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 1 }] }, { from: [{ ipBlock: { cidr: '1.1.1.1/32' } }] }] },
      connection: connect(web, db),
      is: false,
    },
  ])('$name', ({ spec, connection, is }) => {
    expect(isConnectionAllowed([policyOf(spec)], connection)).toBe(is);
  });

  it('adds to what another one lets in', () => {
    const closed = policyOf({ ingress: [] });
    expect(isConnectionAllowed([closed, policyOf({ ingress: [{ from: [{ podSelector: {} }] }] })], connect(web, db))).toBe(true);
  });
});

it('has the verdict that an engine has, in each recorded case', () => {
  const verdicts = networkVerdicts();
  expect(verdicts.filter(({ isAllowed }) => isAllowed).length).toBe(verdicts.length / 2);
  const differing = verdicts.filter(({ policies, isAllowed, ...connection }) => isConnectionAllowed(policies, connection) !== isAllowed);
  expect(differing).toEqual([]);
});
