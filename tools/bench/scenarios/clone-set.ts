/** The CloneSet of the benchmark. Pure. */
import type { CloneSet } from '@kruise/api';
import type { ReviewSubject } from '../manager/admission-load.ts';
import { namespace } from '../manager/namespace.ts';

export const name = 'web';

export const image = (version: number): string => `registry.example.com/team/web:v${version}`;

const probe = { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 10 };

/** Two containers with what templates usually carry; Pods end at once. */
export const cloneSet = (replicas: number): CloneSet =>
  ({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name, namespace, labels: { app: 'web' } },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', maxUnavailable: '20%' } },
      template: {
        metadata: { labels: { app: 'web', team: 'shop' }, annotations: { 'prometheus.io/scrape': 'true' } },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [
            {
              name: 'main',
              image: image(1),
              args: ['--config=/etc/web/config.yaml', '--listen=:8080'],
              ports: [{ name: 'http', containerPort: 8080 }],
              env: [
                { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                { name: 'DATABASE_URL', value: 'postgres://web.db.svc.cluster.local:5432/web' },
              ],
              resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '1', memory: '512Mi' } },
              readinessProbe: probe,
              livenessProbe: probe,
              volumeMounts: [{ name: 'data', mountPath: '/var/lib/data' }],
            },
            { name: 'proxy', image: 'registry.example.com/team/proxy:v1', resources: { requests: { cpu: '10m', memory: '16Mi' } } },
          ],
          volumes: [{ name: 'data', emptyDir: {} }],
        },
      },
    },
  }) as unknown as CloneSet;

/** A Pod with its template, as it is sent to the Pod webhook. */
export const podOfCloneSet = (metadata: object): ReviewSubject => ({
  path: '/mutate-pod',
  resource: { group: '', version: 'v1', resource: 'pods' },
  kind: { group: '', version: 'v1', kind: 'Pod' },
  object: { ...cloneSet(1).spec.template, metadata: { namespace, ...metadata } },
});

/** JSON patches that begin the phases. */
export const inPlaceUpdate = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: image(2) }];
export const recreateUpdate = [
  { op: 'replace', path: '/spec/updateStrategy/rollingUpdate/podUpdatePolicy', value: 'ReCreate' },
  { op: 'replace', path: '/spec/template/spec/containers/0/image', value: image(3) },
];
export const scaleToZero = [{ op: 'replace', path: '/spec/replicas', value: 0 }];
