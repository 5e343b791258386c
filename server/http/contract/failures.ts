import type { IncomingMessage } from 'node:http'
import type { FailureForm } from '../../../shared/contract/route.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { sendError } from '../web/error-handler.ts'
import type { Response } from '../web/response.ts'
import { sendText } from './text.ts'

/**
 * How far a request came: its principal and its text are checked, then what it names is looked up, then the work
 * begins.
 */
export type Stage = 'checks' | 'lookup' | 'work'

interface Failure {
  error: unknown
  form: FailureForm | undefined
  stage: Stage
  log: Log
}

const messagesOf = ({ message, fields }: AppError) =>
  fields ? Object.entries(fields).flatMap(([name, texts]) => texts.map((text) => `${name} ${text}`)) : [message]

/** The body of a failure that is no problem; undefined where it is one, null where there is none. */
function bareBody(error: AppError, form: FailureForm, stage: Stage): string | object | null | undefined {
  const { status, message, code } = error
  if (code !== undefined) {
    return undefined
  }
  if ((status === 401 || status === 403) && stage !== 'work') {
    return error.formerBody ?? null
  }
  const isBare = form === 'text' || (form === 'clientText' && status < 500)
  if (isBare && stage !== 'checks') {
    return message
  }
  return form === 'messages' && status === 400 && stage === 'work' ? messagesOf(error) : undefined
}

/** Sends the failure of a route in the form that the route declares. */
export function sendFailure(request: IncomingMessage, response: Response, { error, form, stage, log }: Failure): void {
  const body = form && error instanceof AppError && !response.headersSent ? bareBody(error, form, stage) : undefined
  if (body === undefined) {
    sendError(response, error, log)
    return
  }
  const { status } = error as AppError
  const headers = Object.entries({ ...(error as AppError).headers, 'cache-control': 'no-store' }).flat()
  if (body === null) {
    response.writeHead(status, headers).end()
  } else {
    sendText(request, response, body, { status, headers })
  }
}
