/** Secrets and configs of a swarm. */
import type { EngineClient } from '../bridge/client.js';
import { segment } from '../bridge/requests.js';
import type { ClusterFile, FileKind, FileOperations } from '../cluster.js';
import { engineFilters } from '../engine/labels.js';
import { objectOf, objectsOf, textMapOf, textOf, type Json } from '../json.js';

export function swarmFiles(client: EngineClient, kind: FileKind): FileOperations {
  return {
    async list({ labels = {}, signal } = {}) {
      const query = { filters: JSON.stringify(engineFilters(labels)) };
      return objectsOf(await client.call({}, { method: 'GET', path: `/${kind}`, query, signal })).map(fileOf);
    },
    async create({ name, labels, content }, { signal } = {}) {
      const Data = Buffer.from(content).toString('base64');
      const json = { Name: name, Labels: labels, Data };
      // An engine may quote the request in its error.
      const discreet = client.knowing([Data]);
      const reply = await discreet.call({ newName: name }, { method: 'POST', path: `/${kind}/create`, json, signal });
      return { id: textOf(objectOf(reply).ID), name, labels };
    },
    async remove(id, { signal } = {}) {
      await client.call({ id }, { method: 'DELETE', path: `/${kind}/${segment(id)}`, signal });
    },
  };
}

function fileOf(file: Json): ClusterFile {
  const spec = objectOf(file.Spec);
  return { id: textOf(file.ID), name: textOf(spec.Name), labels: textMapOf(spec.Labels) };
}
