/** A metrics API for autoscalers: `external.metrics.k8s.io`, which the API server forwards to this process. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAuthority, eventually, issueCertificate, succeeds, type ControlPlane } from '@kruise/testing';

const [group, version] = ['external.metrics.k8s.io', 'v1beta1'];
const service = { namespace: 'default', name: 'external-metrics' };

const resources = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${group}/${version}`,
  resources: [{ name: 'externalmetrics', singularName: '', namespaced: true, kind: 'ExternalMetricValueList', verbs: ['get'] }],
};

/** Serves one metric, which each application has a value of. */
export class ExternalMetrics {
  readonly #server: Server;
  readonly #values = new Map<string, number>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Registers the API and waits until the API server forwards to it. */
  static async start(api: ControlPlane['api']): Promise<ExternalMetrics> {
    const authority = createAuthority('external-metrics');
    const { certificatePem, keyPem } = issueCertificate(authority, {
      commonName: service.name,
      dnsNames: [`${service.name}.${service.namespace}.svc`],
    });
    const server = createServer({ cert: certificatePem, key: keyPem });
    const metrics = new ExternalMetrics(server);
    server.on('request', (request, response) => metrics.#answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await api.request(`/api/v1/namespaces/${service.namespace}/services`, {
      method: 'POST',
      body: { metadata: { name: service.name }, spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] } },
    });
    await api.request('/apis/apiregistration.k8s.io/v1/apiservices', {
      method: 'POST',
      body: {
        metadata: { name: `${version}.${group}` },
        spec: {
          group,
          version,
          service: { ...service, port },
          caBundle: Buffer.from(authority.certificatePem).toString('base64'),
          groupPriorityMinimum: 100,
          versionPriority: 100,
        },
      },
    });
    await eventually(() => succeeds(api.request(`/apis/${group}/${version}/namespaces/default/queue`)));
    return metrics;
  }

  /** @param app the value of the label `app` in the selector of the metric */
  set(app: string, value: number): void {
    this.#values.set(app, value);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, 'https://localhost');
    const isMetric = pathname.startsWith(`/apis/${group}/${version}/namespaces/`);
    response.setHeader('content-type', 'application/json');
    response.statusCode = isMetric || pathname === `/apis/${group}/${version}` ? 200 : 404;
    response.end(JSON.stringify(isMetric ? this.#list(searchParams.get('labelSelector') ?? '') : resources));
  }

  #list(selector: string): object {
    const app = selector.replace('app=', '');
    const item = {
      metricName: 'queue',
      metricLabels: { app },
      timestamp: new Date().toISOString(),
      value: String(this.#values.get(app) ?? 0),
    };
    return { kind: 'ExternalMetricValueList', apiVersion: `${group}/${version}`, metadata: {}, items: [item] };
  }
}
