// All errors of the API: code -> status -> public message.

export const errorCatalog = {
  invalid_input: { status: 400, message: 'The request is not valid.' },
  malformed_json: { status: 400, message: 'The request body is not valid JSON.' },
  malformed_encoding: { status: 400, message: 'The request body could not be decompressed.' },
  body_broken_off: { status: 400, message: 'The connection closed before the end of the body.' },
  malformed_request: { status: 400, message: 'The request could not be read.' },
  account_header_required: {
    status: 400,
    message: 'This API key reaches several accounts: choose one with the x-service-account header.',
  },
  unauthorized: { status: 401, message: 'Bad Token' },
  payment_required: { status: 402, message: 'Payment Required' },
  forbidden: { status: 403, message: 'Forbidden' },
  confirmation_required: {
    status: 403,
    message: 'Prove again who you are: POST /v1/sign-in/confirmation, then repeat this request.',
  },
  not_found: { status: 404, message: 'Not Found' },
  route_not_found: { status: 404, message: "This route doesn't exist." },
  method_not_allowed: { status: 405, message: "This path doesn't support that method." },
  session_running: { status: 408, message: 'The session is still in progress: call again.' },
  conflict: { status: 409, message: 'Conflict' },
  key_taken: { status: 409, message: 'A resource with this key already exists.' },
  in_use: { status: 409, message: 'The resource is still in use.' },
  precondition_failed: {
    status: 412,
    message: 'The resource has changed since the version in If-Match: read it again.',
  },
  body_too_large: { status: 413, message: 'The request body is too large.' },
  unsupported_media_type: {
    status: 415,
    message: 'Send the body as application/json, plain or compressed with gzip or br.',
  },
  range_not_satisfiable: { status: 416, message: "The file doesn't have this range." },
  expectation_failed: { status: 417, message: 'The only supported Expect header is 100-continue.' },
  headers_too_large: { status: 431, message: 'The URL or the headers of the request are too long.' },
  rate_limited: { status: 429, message: 'Too Many Requests' },
  internal: { status: 500, message: 'An internal error occurred.' },
  provider_failed: {
    status: 502,
    message:
      "The identity provider can't be reached, or its response isn't valid. Try again, or ask the operator of this server.",
  },
  unavailable: { status: 503, message: "The service isn't ready." },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof errorCatalog

export const statusTexts: Record<number, string> = {
  206: 'Partial Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Time-out',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
}

export type ErrorAttributes = Record<string, unknown>

/** `message` and `attributes` of the spec, and two fields that existing clients read. */
export interface ErrorBody {
  statusCode: number
  error: string
  message: string
  attributes: ErrorAttributes
}

export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly attributes: ErrorAttributes
  readonly headers: Record<string, string>
  readonly extra: Record<string, unknown>

  constructor(
    code: ErrorCode,
    options: {
      message?: string
      attributes?: ErrorAttributes
      headers?: Record<string, string>
      /** Further fields of the body, where existing clients read them. */
      extra?: Record<string, unknown>
    } = {},
  ) {
    super(options.message ?? errorCatalog[code].message)
    this.name = 'ApiError'
    this.code = code
    this.status = errorCatalog[code].status
    this.attributes = options.attributes ?? {}
    this.headers = options.headers ?? {}
    this.extra = options.extra ?? {}
  }

  body(): ErrorBody {
    return {
      ...this.extra,
      statusCode: this.status,
      error: statusTexts[this.status] ?? 'Error',
      message: this.message,
      attributes: this.attributes,
    }
  }
}

/** What is wrong with one field. */
export interface FieldIssue {
  path: (string | number)[]
  message: string
}

/** Limit for the text of one field in the message; the attributes have the whole text. */
const maxFieldChars = 300

/** A 400 that names every bad field, not only the first. */
export function invalidInput(issues: FieldIssue[]): ApiError {
  const attributes: Record<string, string> = {}
  for (const { path, message } of issues) {
    const field = path.length === 0 ? 'body' : path.join('.')
    const previous = attributes[field]
    // Two rules may have the same message.
    if (previous?.includes(message)) continue
    attributes[field] = previous === undefined ? message : `${previous}; ${message}`
  }
  const message = Object.entries(attributes)
    .slice(0, 20)
    .map(
      ([field, text]) =>
        `"${field}" ${text.length > maxFieldChars ? `${text.slice(0, maxFieldChars)}…` : text}`,
    )
    .join(', ')
  return new ApiError('invalid_input', { message, attributes })
}
