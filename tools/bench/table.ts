import type { Round } from './measure.ts'

/** Subject of a benchmark, and its program, which a list of all names does not load. */
type Bench = readonly [measures: string, load: () => Promise<(round: Round) => Promise<void>>]

/** All benchmarks by name. */
export const benches: Readonly<Record<string, Bench>> = {
  start: ['start of the process until the first answer', async () => (await import('./start.ts')).start],
  rest: [
    'lists and searches over 32 connections, with 10,000 devices',
    async () => (await import('./requests.ts')).rest,
  ],
  writes: ['durable writes over HTTP', async () => (await import('./requests.ts')).writes],
  agents: [
    '1,000 agents that enroll, connect, and send signed updates',
    async () => (await import('./agents.ts')).agents,
  ],
  files: ['a file of 200 MB from and to a device', async () => (await import('./files.ts')).files],
  relay: ['frames through the relay', async () => (await import('./relay.ts')).relay],
  terminal: ['keystroke until its echo', async () => (await import('./terminal.ts')).terminal],
  cluster: [
    'tens of thousands of agents on one server, or with --servers 4 on several: processor time and memory, requests, a restart',
    async () => (await import('./cluster.ts')).cluster,
  ],
  'remote-control': [
    'drawing at a device until the canvas of a browser shows it, over three links',
    async () => (await import('./remote-control.ts')).remoteControl,
  ],
  'start-of-session': [
    'click on Control until the first picture',
    async () => (await import('./remote-control.ts')).startOfSession,
  ],
  recording: [
    'remote control with and without a recording, and the bytes of an hour of office work',
    async () => (await import('./recording.ts')).recording,
  ],
  'small-files': [
    '1,001 files of 4 KiB to and from a device, by click',
    async () => (await import('./files.ts')).smallFiles,
  ],
  floods: [
    '/health and memory while anonymous peers flood the server',
    async () => (await import('./floods.ts')).floods,
  ],
  worst: [
    'longest block of the main thread by the hardest requests of every route',
    async () => (await import('./worst.ts')).worst,
  ],
}

/** Benchmarks that need no browser and no display, and take a few minutes. */
export const all = ['start', 'rest', 'writes', 'agents', 'files', 'relay', 'terminal']
