/** The options of `plumbline mcp`. */
export interface McpOptions {
  readonly server?: string;
  readonly listen?: string;
  readonly allowHost?: readonly string[];
}
