import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import pino from 'pino';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';

import { startEmbeddedPostgres } from '../../src/database/embedded.js';
import { migrate } from '../../src/database/migrate.js';
import { createClusterFolder } from './cluster-folder.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A superuser's address of the server of this run. */
    databaseAdminUri: string;
    /** Name of the migrated database that test databases are copied from. */
    databaseTemplate: string;
  }
}

/**
 * Starts one PostgreSQL for the whole run, or uses the one at TEST_DATABASE_URI (whose user may create databases), and
 * migrates the template of `createTestDatabase`.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const logger = pino({ level: 'warn' }, pino.destination(2));
  const server = await startServer(logger);
  const template = `plumbline_template_${randomBytes(6).toString('hex')}`;
  const admin = postgres(server.uri, { max: 1, onnotice: () => undefined });
  try {
    await admin`create database ${admin(template)}`;
    const uri = new URL(server.uri);
    uri.pathname = `/${template}`;
    await migrate(uri.href, { logger });
  } catch (error) {
    await admin.end();
    await server.stop();
    throw error;
  }
  project.provide('databaseAdminUri', server.uri);
  project.provide('databaseTemplate', template);
  return async () => {
    await admin`drop database ${admin(template)} with (force)`;
    await admin.end();
    await server.stop();
  };
}

async function startServer(logger: pino.Logger): Promise<{ uri: string; stop: () => Promise<void> }> {
  const given = process.env['TEST_DATABASE_URI'];
  if (given !== undefined && given !== '') return { uri: given, stop: () => Promise.resolve() };
  const home = await createClusterFolder('plumbline-tests-');
  const server = await startEmbeddedPostgres({ home, logger, durable: false });
  return {
    uri: server.uri,
    stop: async () => {
      await server.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
