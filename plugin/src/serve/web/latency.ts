import type { Arm, Latency, Summary } from "./data/documents.ts";

/**
 * The latency in which arms can be compared: in paired mode that of the searches for comparison,
 * which every arm has; else that of the queries that users waited for.
 */
export function comparableLatency(summary: Summary, arm: Arm): Latency {
  return summary.mode === "paired" ? arm.shadow_latency_ms : arm.latency_ms;
}

/** Whether searches for comparison were run. */
export function hasShadow(summary: Summary): boolean {
  return summary.arms.some((arm) => arm.shadow_latency_ms.count > 0);
}
