import { plainText } from './plain-text.ts'

/** Writes one line per event: fields first, then the sentence. Callers never pass secrets. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export interface LogEntry {
  level: 'info' | 'warn' | 'error'
  fields: object
  message: string
}

export interface RootLog extends Log {
  /** Calls `listener` with each event. Returns a function that ends it. */
  follow(listener: (entry: LogEntry) => void): () => void
}

export type WriteLine = (line: string) => void

/**
 * Quotes text as JSON, and also escapes control and format characters that JSON leaves unescaped and terminals
 * interpret.
 */
const quote = (text: string) =>
  JSON.stringify(text).replaceAll(/\p{C}/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )

const showValue = (value: unknown) => {
  const text = value instanceof Error ? value.message : typeof value === 'string' ? value : JSON.stringify(value)
  return /^[^\s"=\p{C}]+$/u.test(text) ? text : quote(text)
}

export function createLog(outputs: readonly WriteLine[]): RootLog {
  const listeners = new Set<(entry: LogEntry) => void>()
  const write = (level: LogEntry['level']) => (fields: object, message: string) => {
    const details = Object.entries(fields).map(([name, value]) => ` ${name}=${showValue(value)}`)
    const line = `${new Date().toISOString()} ${level.toUpperCase()} ${plainText(message, Infinity)}${details.join('')}\n`
    outputs.forEach((output) => output(line))
    listeners.forEach((listener) => listener({ level, fields, message }))
  }
  return {
    debug: () => {},
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    follow(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
