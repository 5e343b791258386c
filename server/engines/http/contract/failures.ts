import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import type { FailureEncoding } from '../../../../shared/contract/route.ts'
import { AppError } from '../../../ground/errors.ts'
import type { Log } from '../../../ground/log.ts'
import { headersOf, sendError } from '../web/error-handler.ts'
import { Response } from '../web/response.ts'
import { sendText } from './text.ts'

/** Progress of a request: principal and input are checked, then resources are looked up, then the handler runs. */
export type Stage = 'checks' | 'lookup' | 'work'

interface Failure {
  error: unknown
  encoding: FailureEncoding | undefined
  ruledMember: string | undefined
  stage: Stage
  log: Log
}

const messagesOf = ({ message, fields }: AppError) =>
  fields ? Object.entries(fields).flatMap(([name, texts]) => texts.map((text) => `${name} ${text}`)) : [message]

/** Whether the body only breaks rules of this member, which older servers check in the handler. */
const isRule = ({ cause }: AppError, ruledMember: string | undefined) =>
  cause instanceof z.ZodError &&
  cause.issues.every(({ code, path }) => path.join('.') === ruledMember && code !== 'invalid_type')

/** Body of a failure that is not sent as a problem; undefined for a problem, null for an empty body. */
function bareBody(
  error: AppError,
  encoding: FailureEncoding,
  { stage, ruledMember }: Failure,
): string | object | null | undefined {
  const { status, message, code } = error
  if ((status === 401 || status === 403) && stage !== 'work') {
    return code === undefined ? (error.formerBody ?? null) : undefined
  }
  const isBare = encoding === 'text' || (encoding === 'clientText' && status < 500)
  if (isBare && (stage !== 'checks' || isRule(error, ruledMember))) {
    return message
  }
  const isForMessages = encoding === 'messages' && status === 400
  return isForMessages && (stage === 'work' || isRule(error, ruledMember)) ? messagesOf(error) : undefined
}

/** Sends the failure of a route in the encoding that the route declares. */
export function sendFailure(request: IncomingMessage, response: Response, failure: Failure): void {
  const { error, encoding, log } = failure
  const body =
    encoding && error instanceof AppError && !response.headersSent ? bareBody(error, encoding, failure) : undefined
  if (body === undefined) {
    sendError(response, error, log)
    return
  }
  const { status } = error as AppError
  const headers = Object.entries({
    ...headersOf(status, error as AppError),
    'cache-control': 'no-store',
    ...Response.requestIdHeaders(response),
  }).flat()
  if (body === null) {
    response.writeHead(status, headers).end()
  } else {
    sendText(request, response, body, { status, headers })
  }
}
