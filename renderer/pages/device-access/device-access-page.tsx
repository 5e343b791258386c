import { Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import {
  redirect,
  useLoaderData,
  useLocation,
  useNavigate,
  useRevalidator,
  type LoaderFunctionArgs,
} from 'react-router'
import { ButtonLink, TextLink } from '../../components/links.tsx'
import { ApiError } from '../../../shared/contract/client.ts'
import { id } from '../../../shared/contract/fields.ts'
import { ProblemDetails } from '../../../shared/contract/problem.ts'
import {
  deviceAccessParameters,
  deviceAccessPath,
  endsSessionParameter,
  sharedTerminalView,
} from '../../../shared/device-access.ts'
import { statusOf } from '../../api/http.ts'
import { pageHeaders } from '../../api/page-key.ts'
import { forgetTenant } from '../../api/session-queries.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { VisitorCard } from '../../components/visitor-card.tsx'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import * as t from '../../texts.ts'

/**
 * Begins the session of a link to one device, by the link's own parameters; throws `ApiError`. Needs a confirmation to end
 * a session of the visitor: 409 without one.
 */
async function redeemLink(parameters: string, endsSession: boolean): Promise<void> {
  const query = new URLSearchParams(parameters)
  if (endsSession) {
    query.set(endsSessionParameter, 'true')
  }
  const answer = await fetch(`${deviceAccessPath}?${query.toString()}`, { method: 'POST', headers: { ...pageHeaders } })
  if (!answer.ok) {
    const problem: unknown = await answer.json().catch(() => undefined)
    throw new ApiError(answer.status, ProblemDetails.safeParse(problem).data)
  }
  forgetTenant()
}

/** Path that a link opens: its device or a shared terminal; undefined for an incomplete link. */
function openedPathOf(search: string): string | undefined {
  return new URLSearchParams(search).get('view') === sharedTerminalView.view ? '/shared-terminal' : devicePathOf(search)
}

/** Path of the device of a link; undefined for an incomplete link. */
function devicePathOf(search: string): string | undefined {
  const { deviceId } = deviceAccessParameters(Object.fromEntries(new URLSearchParams(search)))
  const { data } = id.safeParse(deviceId)
  return data === undefined ? undefined : `/devices/${data}`
}

/**
 * Redeems the link and leads to its device, at an address without the token. Here instead of on the server: programs that
 * check links fetch this page, and run no script. Returns the error of a link that did not work.
 */
export async function loader({ request }: LoaderFunctionArgs): Promise<unknown> {
  const { search } = new URL(request.url)
  try {
    await redeemLink(search, false)
  } catch (error) {
    return error
  }
  return redirect(openedPathOf(search) ?? '/')
}

/** Asks before the session of the visitor ends; the other choice leaves the link unused. */
function SignedInAlready({ search }: { search: string }) {
  const navigate = useNavigate()
  const path = devicePathOf(search) ?? '/'
  const open = useMutation({
    mutationFn: () => redeemLink(search, true),
    onSuccess: () => navigate(openedPathOf(search) ?? '/', { replace: true }),
  })
  return (
    <VisitorCard title={t.deviceAccess.signedIn} intro={t.deviceAccess.signedInText}>
      <Stack>
        <ButtonLink to={path} replace>
          {t.deviceAccess.stay}
        </ButtonLink>
        <Button variant="default" loading={open.isPending} onClick={() => open.mutate()}>
          {t.deviceAccess.signOut}
        </Button>
        {open.error && <ProblemAlert error={open.error} />}
      </Stack>
    </VisitorCard>
  )
}

/** Page of a link to one device that needs an answer, or does not work. */
export function Component() {
  usePageTitle(t.deviceAccess.title)
  const error = useLoaderData<unknown>()
  const { search } = useLocation()
  const { revalidate } = useRevalidator()
  const status = statusOf(error)
  if (status === 409) {
    return <SignedInAlready search={search} />
  }
  return (
    <VisitorCard title={t.deviceAccess.dead} {...(status === 401 && { intro: t.deviceAccess.deadText })}>
      {status !== 401 && <ProblemAlert error={error} onRetry={() => void revalidate()} />}
      <Group mt="md">
        <TextLink to="/sign-in">{t.deviceAccess.signIn}</TextLink>
      </Group>
    </VisitorCard>
  )
}
