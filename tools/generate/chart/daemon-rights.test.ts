// The rights of the node agent are exactly the calls in its code.
import { describe, expect, it } from '@jest/globals';
import * as api from '@kruise/api';
import * as objects from '@kruise/objects';
import { globSync, readFileSync } from 'node:fs';
import { ruleOf } from './policy-rules.ts';
import { roles } from './roles.ts';

interface Addressed {
  readonly group: string;
  readonly plural: string;
}

/** What does not leave its project. */
const hidden = { coreEvents: { group: '', plural: 'events' } };

const verbs: Readonly<Record<string, readonly string[]>> = {
  get: ['get'],
  list: ['list'],
  watch: ['watch'],
  create: ['create'],
  update: ['update'],
  updateStatus: ['update'],
  patch: ['patch'],
  delete: ['delete'],
  informer: ['list', 'watch'],
};

/** `client.patch(pods, …)`, `informers.informer(pods, …)`: who is called, what, and the name of the resource's constant. */
const call = /\b(client|informers)\.(get|list|watch|create|update|updateStatus|patch|delete|informer)\(\s*(\w+)/g;

/** The arguments of a call up to the parenthesis that ends it. */
function argumentsFrom(text: string, start: number): string {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === '(') depth += 1;
    else if (text[i] === ')' && --depth === 0) return text.slice(start, i);
  }
  throw new Error('a call without an end');
}

function typeNamed(name: string): Addressed {
  const found = ({ ...objects, ...api, ...hidden } as Readonly<Record<string, unknown>>)[name] as Addressed | undefined;
  if (found?.plural === undefined) throw new Error(`${name} is no resource: this test must learn to read the call`);
  return found;
}

const subresourceOf = (method: string, rest: string): string =>
  method === 'updateStatus' ? '/status' : (/subresource: '(\w+)'/.exec(rest)?.[1] ?? '').replace(/^(?=.)/, '/');

/** Each right that a file needs: `verb group/resource`. */
function rightsIn(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(call)].flatMap(({ index, 0: whole, 2: method = '', 3: name = '' }) => {
    const { group, plural } = typeNamed(name);
    const rest = argumentsFrom(text, index + whole.indexOf('('));
    return (verbs[method] ?? []).map((verb) => `${verb} ${group}/${plural}${subresourceOf(method, rest)}`);
  });
}

const isShipped = (file: string): boolean => !/\.(test|testing)\.ts$/.test(file);
const agentFiles = globSync('apps/daemon/src/**/*.ts').filter(isShipped);
/** What the agent makes objects of, and hands its own connection to. */
const lentFiles = ['libs/kube/src/events/event-sink.ts'];

describe('the rights of the node agent', () => {
  it('are those that its code uses', () => {
    const granted = roles
      .filter(({ account }) => account === 'kruise-daemon')
      .flatMap(({ rules }) => rules.map(ruleOf))
      .flatMap((rule) => rule.resources.flatMap((resource) => rule.verbs.map((verb) => `${verb} ${rule.apiGroups.join()}/${resource}`)));
    const used = new Set([...agentFiles, ...lentFiles].flatMap(rightsIn));
    expect([...used].sort()).toEqual(granted.sort());
  });

  it('change no object but its status, and make nothing but events', () => {
    const writes = [...agentFiles, ...lentFiles].flatMap(rightsIn).filter((right) => !/^(get|list|watch) /.test(right));
    expect(writes.filter((right) => !right.endsWith('/status')).sort()).toEqual(['create /events', 'patch /events']);
  });
});
