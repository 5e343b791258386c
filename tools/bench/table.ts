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
    load: async () => (await import('./start.ts')).start,
  },
  rest: {
    measures: 'requests over 32 connections, with 10,000 devices',
    bare: 'node:http that answers as many bytes',
    load: async () => (await import('./requests.ts')).rest,
  },
  writes: {
    measures: 'durable writes over HTTP',
    bare: 'node:http that inserts one row with one flush, one after the other',
    load: async () => (await import('./requests.ts')).writes,
  },
  agents: {
    measures: 'agents that enroll, connect, and send signed updates; memory with 1,000 of them',
    bare: 'ws that verifies each signature and answers',
    load: async () => (await import('./agents.ts')).agents,
  },
  files: {
    measures: 'a file of 200 MB from and to a device',
    bare: 'node:http that reads from and writes to the disk',
    load: async () => (await import('./files.ts')).files,
  },
  relay: {
    measures: 'frames through the relay',
    bare: 'two joined sockets of ws, both with bufferutil',
    load: async () => (await import('./relay.ts')).relay,
  },
  terminal: {
    measures: 'keystroke until its echo',
    bare: 'an echo of ws',
    load: async () => (await import('./terminal.ts')).terminal,
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
  'start-of-session': {
    measures: 'click on Control until the first picture',
    load: async () => (await import('./remote-control.ts')).startOfSession,
  },
  recording: {
    measures: 'remote control with and without a recording, and the bytes of an hour of office work',
    load: async () => (await import('./recording.ts')).recording,
  },
  'small-files': {
    measures: '1,001 files of 4 KiB to and from a device, by click',
    load: async () => (await import('./small-files.ts')).smallFiles,
  },
  floods: {
    measures: '/health and memory while anonymous peers flood the server',
    load: async () => (await import('./floods.ts')).floods,
  },
  worst: {
    measures: 'longest block of the main thread by the hardest requests of every route',
    load: async () => (await import('./worst.ts')).worst,
  },
}
