/** An update that cannot continue; the message says what happened and what to do. */
export class UpdateProblem extends Error {
  override readonly name = 'UpdateProblem'
}
