import { ObjectSharing } from '../../../libs/kube/src/store/object-sharing.ts';
import { realisticPod } from './realistic-pod.ts';
const texts = Array.from({length: 4000}, (_, at) => JSON.stringify({kind:'Pod',apiVersion:'v1',...realisticPod(at), metadata: {...realisticPod(at).metadata, uid:`uid-${at}`, resourceVersion: String(at)}}));
for (let round=0; round<5; round++) {
  const sharing = new ObjectSharing(65536);
  let us = 0, pus=0; const held:any[]=[];
  for (const t of texts) { let c0=process.hrtime.bigint(); const o = JSON.parse(t); let c1=process.hrtime.bigint(); held.push(sharing.adopt(o)); const c2=process.hrtime.bigint(); pus+=Number(c1-c0); us += Number(c2-c1); }
  console.log('parse', (pus/texts.length/1000).toFixed(1), 'adopt', (us/texts.length/1000).toFixed(1));
}
