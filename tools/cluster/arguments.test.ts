import { describe, expect, it } from '@jest/globals';
import { type Command, parseCommand } from './arguments.ts';
import { howToUse, statusReport } from './report.ts';

const parse = (line: string): Command => parseCommand(line.split(' ').filter(Boolean));

describe('parseCommand', () => {
  it.each<[string, Command]>([
    ['up', { kind: 'Up', nodes: 3, simulatedNodes: 0, controllers: true }],
    ['up --nodes 5 --simulated 100 --name a', { kind: 'Up', nodes: 5, simulatedNodes: 100, controllers: true, name: 'a' }],
    ['up --control-plane-only --dir /d', { kind: 'Up', nodes: 0, simulatedNodes: 0, controllers: false, dir: '/d' }],
    ['up --control-plane-only --controllers', { kind: 'Up', nodes: 0, simulatedNodes: 0, controllers: true }],
    ['up --control-plane-only --simulated 2', { kind: 'Up', nodes: 0, simulatedNodes: 2, controllers: true }],
    ['down --name a', { kind: 'Down', name: 'a' }],
    ['status', { kind: 'Status' }],
    ['logs kube-apiserver', { kind: 'Logs', component: 'kube-apiserver' }],
    ['logs', { kind: 'Logs' }],
    ['down --help', { kind: 'Help' }],
  ])('understands %s', (line, command) => {
    expect(parse(line)).toEqual(command);
  });

  it.each([
    ['', 'a command is missing'],
    ['start', 'unknown command "start"'],
    ['up now', 'unexpected argument "now"'],
    ['up --nodes x', '--nodes "x": must be a number'],
    ['up --nodes=-1', '--nodes "-1": must be a number'],
    ['up --simulated 5001', '--simulated "5001": must be a number from 0 to 5000'],
    ['up --nodes 2 --control-plane-only', 'exclude each other'],
    ['up --node 2', "Unknown option '--node'"],
  ])('refuses %j', (line, message) => {
    const command = parse(line);
    expect(command).toMatchObject({ kind: 'Wrong' });
    expect(command.kind === 'Wrong' ? command.message : '').toContain(message);
  });
});

describe('reports', () => {
  const cluster = {
    name: 'a',
    dir: '/s/a',
    nodes: 1,
    simulatedNodes: 0,
    controllers: true,
    server: 'https://h:1',
    kubeconfigPath: '/s/a/k',
    registry: '127.0.0.1:5000',
    kubectl: '/b/kubectl',
    helm: '/b/helm',
  };

  it('show how to use and stop the cluster, with the options that find it again', () => {
    expect(howToUse(cluster, '/s/a').split('\n')[0]).toBe('export KUBECONFIG=/s/a/k');
    expect(howToUse(cluster, '/s/a')).toContain('down --name a');
    expect(howToUse(cluster, '/other')).toContain('down --name a --dir /s/a');
  });

  it('list processes and nodes in columns', () => {
    const report = statusReport(
      [
        { name: 'etcd', pid: 12, running: true },
        { name: 'kubelet-node1', pid: 3, running: false },
      ],
      [{ name: 'node1', ready: false }],
    );
    expect(report).toBe(
      'COMPONENT      PID  STATE\netcd           12   running\nkubelet-node1  3    ended\n\nNODE   STATE\nnode1  NotReady',
    );
    expect(statusReport([], undefined)).toContain('kube-apiserver does not answer');
  });
});
