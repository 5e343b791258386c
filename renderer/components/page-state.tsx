import { Button, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useRouteError } from 'react-router'
import { useIsLate } from '../hooks/use-is-late.ts'
import { useIsAway } from '../hooks/use-live-state.ts'
import * as t from '../texts.ts'
import classes from './page-state.module.css'

/** Whether code did not load, in the words of Chromium, Firefox and Safari. */
const isCodeMissing = (error: unknown) =>
  error instanceof TypeError && /dynamically imported module|importing a module script/i.test(error.message)

/** Replaces a page that threw an error, or whose code did not load: browsers load that again after a reload only. */
export function PageCrash() {
  const error = useRouteError()
  const isAway = useIsAway()
  const isMissing = isCodeMissing(error)
  const hint = isMissing ? t.problem.notLoadedHint : t.problem.crashedHint
  return (
    <main className={classes.center}>
      <Stack gap="xs" maw={520} role="alert">
        <h1>{isMissing ? t.problem.notLoaded : t.problem.crashed}</h1>
        <Text c="dimmed">{isAway ? t.problem.crashedAwayHint : hint}</Text>
        {!isMissing && <pre className={classes.detail}>{error instanceof Error ? error.message : String(error)}</pre>}
        <div>
          <Button disabled={isAway} onClick={() => location.reload()}>
            {t.problem.reload}
          </Button>
        </div>
      </Stack>
    </main>
  )
}

/** Shown while the server does not respond and nothing is cached; the query keeps retrying. */
export const ServerSilent = () => (
  <main className={classes.center}>
    <Stack gap="xs" maw={520} role="status">
      <h1>{t.problem.silent}</h1>
      <Text c="dimmed">{t.problem.silentHint}</Text>
      <div className={classes.progress} aria-hidden />
    </Stack>
  </main>
)

/** A page loads in parts. Once one part was late, the next one shows its skeleton at once, so that nothing blinks. */
let wasLate = false

function useIsLoadLate() {
  const isLate = useIsLate(true)
  useEffect(() => {
    wasLate ||= isLate
  }, [isLate])
  return isLate || wasLate
}

/** Shown while a page for visitors loads. */
export function FirstLoad() {
  const isLate = useIsLoadLate()
  return <div aria-busy="true">{isLate && <div className={`${classes.progress} ${classes.top}`} aria-hidden />}</div>
}

const entries = Array.from({ length: 10 }, (_, index) => index)

/** Shown while the session loads: the frame of every page, so that the layout does not shift. */
export function FrameLoad() {
  const isLate = useIsLoadLate()
  return (
    <div className={classes.frame} data-late={isLate || undefined}>
      <div className={classes.navigation} aria-hidden>
        {entries.map((entry) => (
          <span key={entry} className={classes.bar} />
        ))}
      </div>
      <div className={classes.side} aria-hidden>
        <span className={classes.bar} />
        <span className={classes.bar} />
        <span className={classes.bar} />
      </div>
      <FirstLoad />
    </div>
  )
}
