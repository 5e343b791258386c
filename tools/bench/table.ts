import type { Round } from './measure.ts'

interface Bench {
  measures: string
  /** Baseline of its ratios, a server of bare.ts. */
  bare?: string
  /** Loads the program: a list of all names loads none. */
  load: () => Promise<(round: Round) => Promise<void>>
}

/** All benchmarks by name. */
export const benches: Readonly<Record<string, Bench>> = {
  start: {
    measures: 'start of the process until the first answer',
    bare: 'node:http',
    load: async () => (await import('./processes.ts')).start,
  },
  rest: {
    measures: 'requests over 32 connections, with 1,000 devices, searches with 10,000',
    bare: 'node:http that answers as many bytes',
    load: async () => (await import('./requests.ts')).rest,
  },
  writes: {
    measures: 'durable writes over HTTP',
    bare: 'node:http that inserts one row with one flush, one after the other',
    load: async () => (await import('./requests.ts')).writes,
  },
  heartbeats: {
    measures: 'agents that enroll, connect, stay, and send signed updates',
    bare: 'ws that verifies each signature and answers',
    load: async () => (await import('./agents.ts')).heartbeats,
  },
  files: {
    measures: 'a file of 200 MB from and to a device',
    bare: 'node:http that reads from and writes to the disk',
    load: async () => (await import('./device.ts')).files,
  },
  'small-files': {
    measures: '1,001 files of 4 KiB from and to a device, by routes and by click',
    bare: 'node:http that reads and writes as many files, without a flush',
    load: async () => (await import('./small-files.ts')).smallFiles,
  },
  relay: {
    measures: 'frames through the relay',
    bare: 'two joined sockets of ws, both with bufferutil',
    load: async () => (await import('./relay.ts')).relay,
  },
  tls: {
    measures: 'agents over TLS: a restart, new and resumed connections, updates',
    bare: 'the bare server of heartbeats on node:https',
    load: async () => (await import('./agents.ts')).tls,
  },
  memory: {
    measures: 'resident memory: fresh, with 1,000 agents, after a load, a minute later',
    bare: 'node:http',
    load: async () => (await import('./processes.ts')).memory,
  },
  terminal: {
    measures: 'keystroke until its echo',
    bare: 'an echo of ws',
    load: async () => (await import('./device.ts')).terminal,
  },
  scale: {
    measures: 'start, memory and processor time with 100, 1,000, 5,000 and 20,000 devices',
    load: async () => (await import('./scale.ts')).scale,
  },
  cluster: {
    measures:
      'tens of thousands of agents on one server, or with --servers 4 on several: processor time and memory, requests, a restart',
    load: async () => (await import('./cluster.ts')).cluster,
  },
  'remote-control': {
    measures: 'drawing at a device until the canvas of a browser shows it, over three links',
    load: async () => (await import('./remote-control.ts')).remoteControl,
  },
  recording: {
    measures: 'remote control with and without a recording, and the bytes of an hour of office work',
    load: async () => (await import('./recording.ts')).recording,
  },
  'start-of-session': {
    measures: 'click on Control until the first picture',
    load: async () => (await import('./sessions.ts')).startOfSession,
  },
  'held-sessions': {
    measures: 'memory and processor time of page and server with five sessions, shown and held',
    load: async () => (await import('./sessions.ts')).heldSessions,
  },
  events: {
    measures: 'memory of 500 readers of the feed of events, and the time from a registration until all have it',
    load: async () => (await import('./events.ts')).eventFeeds,
  },
  notices: {
    measures:
      'the start page and alerts: rules on a heartbeat, and 3,000 of 10,000 devices that lose their switch at once',
    load: async () => (await import('./alerts.ts')).alerts,
  },
  floods: {
    measures: '/health and memory while anonymous peers flood the server',
    load: async () => (await import('./processes.ts')).floods,
  },
  worst: {
    measures: 'longest block of the main thread by the worst request of every route and hub',
    load: async () => (await import('./worst/index.ts')).worst,
  },
}
